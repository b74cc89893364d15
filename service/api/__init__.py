"""The HTTP and WebSocket doors; one module per room of the page."""
