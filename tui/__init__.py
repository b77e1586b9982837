"""The terminal program: screens, widgets, command line, and the assistant behind them."""
