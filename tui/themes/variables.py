"""The CSS variables of our own that a theme may set beside Textual's."""

from collections.abc import Mapping
from types import MappingProxyType

from textual.theme import Theme

# Ours, each with the colour of Textual's own palette that stands in where a theme says nothing.
OWN_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "user-turn": "text-accent",
        "user-turn-background": "surface",
        "assistant-turn": "text-primary",
        "thinking-text": "foreground-muted",
        "notice-text": "text-warning",
        "tool-chip": "text-secondary",
        "recall-chip": "text-success",
        "chip-background": "panel",
        "memory-link": "text-primary",
        "wanted-link": "text-error",
        "external-link": "text-secondary",
        "article-title": "text-primary",
        "infobox-background": "panel",
        "match-background": "warning-muted",
        "match-text": "text-warning",
        "diff-added": "text-success",
        "diff-removed": "text-error",
        "unsaved-mark": "text-warning",
        "gauge-weights": "primary",
        "gauge-kv": "accent",
        "gauge-kv-limit": "accent-muted",
        "gauge-transient": "warning",
        "gauge-reserve": "secondary",
        "gauge-free": "panel",
        "gauge-warn": "text-warning",
        "gauge-critical": "text-error",
        "sparkline-low": "primary-muted",
        "sparkline-high": "primary",
        "pane-border": "panel",
        "pane-border-focused": "primary",
        "pane-title": "text-primary",
        "status-text": "foreground",
        "status-background": "panel",
        "key-hint": "text-accent",
    }
)


def theme_variable_defaults(theme: Theme | None = None) -> dict[str, str]:
    """Our own CSS variables for a theme that does not set them, such as one of Textual's.

    Return this from `App.get_theme_variable_defaults`, with the current theme.
    """
    palette = (theme or Theme(name="fallback", primary="#0178D4")).to_color_system().generate()
    return {name: palette[stand_in] for name, stand_in in OWN_VARIABLES.items()}
