// Talking to the service. Errors come back as sentences for people, in the reader's language.
import { toast } from "./dom.js";
import { lang, t } from "./i18n.js";

export class ApiError extends Error {
  constructor(status, body) {
    super(body?.detail || `${status}`);
    this.status = status;
    this.faults = body?.faults || [];
    this.key = body?.error;
  }
}

async function call(method, path, body) {
  const url = new URL(path, location.origin);
  if (!url.searchParams.has("lang")) url.searchParams.set("lang", lang);
  const options = { method, headers: {} };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(url, options);
  } catch {
    throw new ApiError(0, { detail: t("offline") });
  }
  if (response.status === 204) return null;
  const data = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, data);
  return data;
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);
export const put = (path, body) => call("PUT", path, body);
export const patch = (path, body) => call("PATCH", path, body);
export const del = (path) => call("DELETE", path);

/** Do something that may be refused; the reason is shown, not thrown. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast(error.message, true);
    return undefined;
  }
}
