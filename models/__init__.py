"""The networks: shipped weights and their card, and how they were made (training needs the ``train`` extra)."""
