"""Where a method was published, as a line to read and as an entry of a bibliography."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Publication:
    """A publication.

    authors: their names, "Given Family". venue: the journal or the proceedings. volume: with the article or page numbers behind
    it, as in "163:3-16". note: what a reader should know besides. kind: of the BibTeX entry.
    """

    authors: tuple[str, ...]
    title: str
    year: int
    venue: str = ""
    volume: str = ""
    doi: str = ""
    note: str = ""
    kind: Literal["article", "inproceedings", "misc"] = "article"

    @property
    def citation(self) -> str:
        """A line to read.

        >>> Publication(("Ada Byron", "Charles Babbage"), "On engines", 1843, "Taylor's Memoirs", "3:666").citation
        'Byron & Babbage, "On engines", Taylor\\'s Memoirs 3, 1843'
        """
        families = [author.split()[-1] for author in self.authors]
        who = " & ".join(families) if len(families) < 3 else f"{families[0]} et al."
        parts = f'{who}, "{self.title}"', " ".join(filter(None, (self.venue, self.volume.partition(":")[0]))), str(self.year)
        return ", ".join(filter(None, (*parts, self.note)))

    @property
    def url(self) -> str:
        """The address that its DOI leads to; empty without one."""
        return f"https://doi.org/{self.doi}" if self.doi else ""

    def bibtex(self, key: str) -> str:
        """The entry of a bibliography under a key.

        >>> print(Publication(("Ada Byron",), "On engines", 1843, "Memoirs", "3:666").bibtex("engines"))
        @article{engines,
          author = {Ada Byron},
          title = {{On engines}},
          journal = {Memoirs},
          volume = {3},
          pages = {666},
          year = {1843},
        }
        """
        volume, _, pages = self.volume.partition(":")
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            {"article": "journal", "inproceedings": "booktitle", "misc": "howpublished"}[self.kind]: self.venue,
            "volume": volume,
            "pages": pages.replace("-", "--"),
            "year": str(self.year),
            "doi": self.doi,
            "note": self.note,
        }
        lines = (f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        return f"@{self.kind}{{{key},\n{''.join(lines)}}}"


RANDOM_RESAMPLING = Publication(
    authors=("Francisco Charte", "Antonio J. Rivera", "María J. del Jesus", "Francisco Herrera"),
    title="Addressing imbalance in multilabel classification: Measures and random resampling algorithms",
    venue="Neurocomputing",
    year=2015,
    volume="163:3-16",
    doi="10.1016/j.neucom.2014.08.091",
)
"""That of MLROS, MLRUS, LPROS and LPRUS."""
