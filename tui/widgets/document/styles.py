"""How the roles of a document look. A theme changes the variables, not this."""

from tui.document.roles import Role

COMPONENTS = frozenset(f"document--{role}" for role in Role)

DEFAULT_CSS = """
DocumentView {
    overflow-x: hidden;
    overflow-y: auto;
    scrollbar-gutter: stable;
    scrollbar-size-vertical: 1;
    background: $background;
    color: $foreground;
    & > .document--title { color: $article-title; text-style: bold; }
    & > .document--heading-2 { color: $markdown-h2-color; text-style: bold; }
    & > .document--heading-3 { color: $markdown-h3-color; text-style: bold underline; }
    & > .document--heading-4 { color: $markdown-h4-color; text-style: bold; }
    & > .document--heading-5 { color: $markdown-h4-color; text-style: bold italic; }
    & > .document--heading-6 { color: $foreground-muted; text-style: italic; }
    & > .document--rule { color: $pane-border; }
    & > .document--quiet { color: $foreground-muted; }
    & > .document--strong { text-style: bold; }
    & > .document--emphasis { text-style: italic; }
    & > .document--struck { color: $foreground-muted; text-style: strike; }
    & > .document--marked { background: $match-background; color: $match-text; }
    & > .document--tag { color: $text-secondary; }
    & > .document--code { color: $text-accent; background: $infobox-background; }
    & > .document--math { color: $text-secondary; text-style: italic; }
    & > .document--link { color: $memory-link; text-style: underline; }
    & > .document--wanted { color: $wanted-link; text-style: italic; }
    & > .document--ambiguous { color: $memory-link; text-style: underline italic; }
    & > .document--external { color: $external-link; text-style: underline; }
    & > .document--note { color: $text-accent; }
    & > .document--bullet { color: $primary; }
    & > .document--task { color: $primary; }
    & > .document--done { color: $foreground-muted; }
    & > .document--quote-bar { color: $pane-border; }
    & > .document--callout-note { color: $text-secondary; }
    & > .document--callout-tip { color: $text-success; }
    & > .document--callout-warning { color: $text-warning; }
    & > .document--callout-danger { color: $text-error; }
    & > .document--callout-other { color: $text-accent; }
    & > .document--table-head { text-style: bold; }
    & > .document--fact-key { color: $foreground-muted; }
    & > .document--box { background: $infobox-background; }
    & > .document--code-block { background: $infobox-background; }
    & > .document--code-comment { color: $foreground-muted; text-style: italic; }
    & > .document--code-keyword { color: $text-accent; }
    & > .document--code-string { color: $text-success; }
    & > .document--code-number { color: $text-warning; }
    & > .document--code-name { color: $foreground; }
    & > .document--code-function { color: $text-primary; }
    & > .document--code-error { color: $text-error; }
    & > .document--focused { text-style: reverse; }
    & > .document--found { background: $match-background; color: $match-text; }
    & > .document--found-here { background: $primary; color: $background; text-style: bold; }
    & > .document--hint { background: $primary; color: $background; text-style: bold; }
}
"""
