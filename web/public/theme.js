// Before anything is painted, so that nobody who chose a theme sees the other one first.
try {
  document.documentElement.dataset.theme = localStorage.getItem('skillopt-theme') ?? 'system'
} catch {
  // A browser that keeps nothing for us: the system's theme it is.
}
