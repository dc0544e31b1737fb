"""Dates held against their format; the verdicts are those of SimpleDateFormat in Java 17 after setLenient(false), as in Weka."""

import pytest
from conftest import cells

from lsdmlo_cli.errors import FormatError
from lsdmlo_cli.formats.arff.dates import DEFAULT_PATTERN, date_check

ISO = "yyyy-MM-dd"
FITS = [
    (ISO, "2020-02-29"),
    (ISO, "2020-2-9"),
    (ISO, "20-2-8"),
    (ISO, "  2020-  2-\t28"),
    (ISO, "2020-02-28 whatever"),
    (ISO, "1500-02-29"),
    (ISO, "2000-02-29"),
    (DEFAULT_PATTERN, "2020-01-31T23:59:59"),
    ("yyyyMMdd", "20200228"),
    ("yyyyMMdd", "202002 8"),
    ("yyyyMMdd", "2020 228"),
    ("yyyyMMddHHmmss", "20200228235959"),
    ("d.M.yy", "29.2.00"),
    ("HH:mm", "00:00"),
    ("kk:mm", "24:00"),
    ("KK:mm", "00:30"),
    ("hh:mm a", "12:59 pm"),
    ("ss.SSS", "00.999"),
    ("''yy 'o''clock' H", "'99 o'clock 5"),
    ("dd MMM yyyy", "31 March 2020"),
    ("dd MMM yyyy", "31 März 2020"),
    ("EEE MMM dd HH:mm:ss zzz yyyy", "Mon Feb 03 10:00:00 GMT+01:00 2020"),
    ("EEE MMM dd HH:mm:ss Z yyyy", "Mon Feb 03 10:00:00 +0000 2020"),
    ("HH:mm z", "10:00 Central European Time"),
    ("HHX", "10Z"),
    ("HHX", "10-03"),
    ("HHXX", "10+0130"),
    ("HHXXX", "10+01:30"),
]
DOES_NOT = [
    (ISO, "yesterday"),
    (ISO, ""),
    (ISO, "?"),
    (ISO, "2020-13-01"),
    (ISO, "2020-00-01"),
    (ISO, "2020-01-00"),
    (ISO, "2020-02-30"),
    (ISO, "2021-02-29"),
    (ISO, "1900-02-29"),
    (ISO, "2020-04-31"),
    (ISO, "2020/02/28"),
    (ISO, "2020-02"),
    (ISO, "-20-2-8"),
    (DEFAULT_PATTERN, "2020-01-31"),
    (DEFAULT_PATTERN, "2020-01-31 23:59:59"),
    ("yyyyMMdd", "2020228"),
    ("yyyyMMdd", "20211"),
    ("yyyyMMdd", "202002288"),
    ("yyyyMMdd", "20-20228"),
    ("HH:mm", "24:00"),
    ("HH:mm", "23:60"),
    ("kk:mm", "00:00"),
    ("KK:mm", "12:00"),
    ("hh:mm a", "13:00 PM"),
    ("hh:mm a", "00:00 AM"),
    ("hh:mm a", "01:00"),
    ("ss.SSS", "00.1000"),
    ("ss.SSS", "60.000"),
    ("dd MMM yyyy", "31 3 2020"),
    ("dd MMM yyyy", "32 May 2020"),
    ("HHX", "10"),
    ("HHX", "10+1"),
    ("HHXXX", "10+0130"),
    ("HHZ", "10+2400"),
    ("'o''clock' H", "oclock 5"),
]


@pytest.mark.parametrize(("pattern", "text"), FITS)
def test_a_date_fits_its_format(pattern, text):
    assert date_check(pattern)(text)


@pytest.mark.parametrize(("pattern", "text"), DOES_NOT)
def test_a_date_does_not_fit_its_format(pattern, text):
    assert not date_check(pattern)(text)


@pytest.mark.parametrize("pattern", ["", "QQQ", "yyyy-ww", "yyyy 'open", "HHXXXX", "'"])
def test_a_format_that_is_not_known_is_not_checked(pattern):
    assert date_check(pattern) is None


HEAD = "@relation r\n@attribute d date{}\n@attribute L {{0,1}}\n@data\n"


@pytest.mark.parametrize(
    ("declared", "cell", "text"),
    [
        ("", "2020-01-31T23:59:59", "2020-01-31T23:59:59"),
        (" % a comment", "2020-01-31T23:59:59", "2020-01-31T23:59:59"),
        (" yyyy-MM-dd", "2020-01-31", "2020-01-31"),
        (" 'yyyy-MM-dd HH:mm'", '"2020-01-31 23:59"', "2020-01-31 23:59"),
        (r" 'yyyy\'T\'HH'", r"'\062020T23'", "2020T23"),
        (" yyyy-MM-dd", "?", None),
        (" QQQ", "whatever", "whatever"),
    ],
)
def test_dates_of_a_file(arff, declared, cell, text):
    assert cells(arff(f"{HEAD.format(declared)}{cell},1\n").dataset) == [[text]]


@pytest.mark.parametrize(
    ("declared", "cell", "shown"),
    [
        ("", "2020-01-31", "'2020-01-31' is no date of the format 'yyyy-MM-dd'T'HH:mm:ss'"),
        (" yyyy-MM-dd", "2020-02-30", "'2020-02-30' is no date of the format 'yyyy-MM-dd'"),
        (" yyyy-MM-dd", "'?'", "'?' is no date"),
        (" 'dd MMM yyyy'", "'3. Mai 2020'", "'3. Mai 2020' is no date of the format 'dd MMM yyyy'"),
    ],
)
def test_a_date_that_does_not_fit_is_an_error_with_its_line(arff, declared, cell, shown):
    good = {"": "2020-01-31T00:00:00", " yyyy-MM-dd": "2020-01-31", " 'dd MMM yyyy'": "'3 May 2020'"}[declared]
    for row in (f"{cell},1", f"{{0 {cell},1 1}}"):
        with pytest.raises(FormatError) as refusal:
            arff(f"{HEAD.format(declared)}{good},1\n{row}\n")
        assert f"in.arff:6: attribute 'd': {shown}" in str(refusal.value)
