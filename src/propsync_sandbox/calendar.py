"""The world's date, which moves by one day a night."""

from datetime import date, timedelta


class Calendar:
    """One for all collections of a world, so that they agree on the date."""

    def __init__(self, today: date) -> None:
        self.first = self.today = today

    def turn(self) -> date:
        """One day passes; returns the new date."""
        self.today += timedelta(days=1)
        return self.today
