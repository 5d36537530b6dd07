"""Pages in a real Chromium: scripts run, buttons are clicked, and what is hidden is marked."""
