"""How Sphinx builds the site: Markdown by MyST, the theme Furo, nothing from the network."""

import tomllib
from pathlib import Path

_PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]

project = _PROJECT["name"]
version = release = _PROJECT["version"]
author = "the authors of hpaaudit"
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
nitpicky = True
html_theme = "furo"
html_title = "hpaaudit"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0969da",
        "color-brand-content": "#0969da",
        "font-stack": "ui-sans-serif, system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif",
        "font-stack--monospace": "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', monospace",
    },
    "dark_css_variables": {"color-brand-primary": "#4493f8", "color-brand-content": "#4493f8"},
}
pygments_style = "friendly"
pygments_dark_style = "monokai"
