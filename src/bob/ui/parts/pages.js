// The pages in the order of the rail; `apart` begins a group of them. A page's module is loaded when it is first opened.

export const PAGES = [
  {
    name: "ask",
    title: "Ask",
    key: "a",
    icon: "M21 12a8 8 0 0 1-8 8H4l2.2-2.6A8 8 0 1 1 21 12zM9.500 10a2.500 2.500 0 1 1 3.600 2.200c-.7.4-1.100.8-1.100 1.600M12 16.500h.01",
  },
  { name: "chat", title: "Chat", key: "c", icon: "M4 5h12v8H9l-4 3v-3H4zM19 9h1v8h-1v3l-4-3h-5" },
  {
    name: "library",
    apart: true,
    title: "Library",
    key: "l",
    icon: "M5 4h4v16H5zM9 4h4v16H9zM14.500 5l3.800-1 3.700 15-3.800 1z",
  },
  {
    name: "decisions",
    title: "Decisions",
    key: "d",
    icon: "M6 3v18M6 8h9l3 3-3 3H6M6 6a1 1 0 1 0 0-.01",
  },
  {
    name: "memories",
    title: "Memories",
    key: "m",
    icon: "M12 21s-8-4.800-8-11a4.500 4.500 0 0 1 8-2.800A4.500 4.500 0 0 1 20 10c0 6.200-8 11-8 11z",
  },
  {
    name: "capture",
    title: "Capture",
    key: "n",
    icon: "M5 4h9l5 5v11H5zM14 4v5h5M9 14h6M12 11v6",
  },
  {
    name: "health",
    title: "Health",
    key: "h",
    apart: true,
    icon: "M3 12h4l2.500-6 4.500 12 2.500-6H21",
  },
  { name: "evaluation", title: "Evaluation", key: "e", icon: "M4 4v16h16M8 15l3-4 3 2 5-7" },
  {
    name: "indexing",
    apart: true,
    title: "Indexing",
    key: "i",
    icon: "M12 15V4m0 0L8 8m4-4l4 4M4 15v5h16v-5",
  },
  { name: "work", title: "Work items", key: "w", icon: "M4 6h16v13H4zM9 6V4h6v2M4 11h16" },
  { name: "settings", title: "Settings", key: "s", icon: "M4 7h10m4 0h2M4 17h4m4 0h8M16 5v4M10 15v4" },
];

/** The address of a page: `link("library", {project: "garden"})`. */
export function link(name, query = {}) {
  const said = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== ""),
  );
  return `#/${name}${said.size ? `?${said}` : ""}`;
}

/** Page and query of the address that is shown. */
export function place() {
  const [, name, query = ""] = location.hash.match(/^#?\/?([^?]*)\??(.*)$/s);
  return { name: name || "ask", query: new URLSearchParams(query) };
}

/** Change the query of this page without drawing it anew. */
export function keep(query) {
  history.replaceState(null, "", link(place().name, query));
}
