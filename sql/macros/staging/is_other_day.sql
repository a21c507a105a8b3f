-- Whether a text is a day in a form that propsync does not read: 31/01/2026, 31 Jan 2026, or the seconds or
-- milliseconds since 1970.
create macro staging.is_other_day(written) as
  regexp_full_match(written, '(\d{1,2}[/.-]\d{1,2}[/.-](\d{4}|\d{2})|\d{4}[/.]\d{1,2}[/.]\d{1,2})([ T,].*)?')
  or regexp_full_match(written, '\d{1,2} \p{L}{3,9}\.? \d{4}([ T,].*)?|1\d{9}(\d{3})?(\.\d+)?');
