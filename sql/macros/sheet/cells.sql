-- A spreadsheet counts days since 1899-12-30, knows no date before 1900 and no zone, and keeps 15 digits of a number.
-- `number_of_…` is a cell's number, NULL if the sheet would alter the value; then `text_of_…` shows it as it is.
create or replace macro safe_text(v) as if(regexp_matches(v, '^[=+\-@\t\r\n＝＋－＠]'), '''' || v, v);

create or replace macro number_of_text(v) as null::double;
create or replace macro text_of_text(v) as v::varchar;
create or replace macro csv_of_text(v) as safe_text(v::varchar);

create or replace macro number_of_list(v) as null::double;
create or replace macro text_of_list(v) as array_to_string(v, '; ');
create or replace macro csv_of_list(v) as safe_text(array_to_string(v, '; '));

create or replace macro number_of_truth(v) as v;
create or replace macro text_of_truth(v) as v::varchar;
create or replace macro csv_of_truth(v) as v;

create or replace macro number_of_digits(v) as
  if(length(ltrim(regexp_replace(v::varchar, '[^0-9]', '', 'g'), '0')) <= 15, v::double, null);
create or replace macro text_of_digits(v) as v::varchar;
create or replace macro csv_of_digits(v) as v;

create or replace macro number_of_float(v) as if(isfinite(v), v::varchar::double, null);
create or replace macro text_of_float(v) as v::varchar;
create or replace macro csv_of_float(v) as if(isfinite(v), v::varchar, safe_text(v::varchar));

create or replace macro number_of_date(v) as
  case when v between date '1900-03-01' and date '9999-12-31' then (v - date '1899-12-30')::double end;
create or replace macro text_of_date(v) as v::varchar;
create or replace macro csv_of_date(v) as v;

create or replace macro number_of_time(v) as case when v < time '24:00:00' then (epoch_us(v) / 86400000000.0)::double end;
create or replace macro text_of_time(v) as v::varchar;
create or replace macro csv_of_time(v) as left(v::varchar, 8);

create or replace macro number_of_moment(v) as
  case
    when v::timestamp >= timestamp '1900-03-01' and v::timestamp < timestamp '9999-12-31'
    then (epoch_us(v::timestamp) / 86400000000.0)::double + 25569
  end;
create or replace macro text_of_moment(v) as v::timestamp::varchar;
create or replace macro csv_of_moment(v) as date_trunc('second', v::timestamp)::timestamp;

-- A file that keeps a number as a double gets it only if that is the same number.
create or replace macro unrounded(v, as_double, back, column_name) as if(
  back is not distinct from v,
  as_double,
  error('column ' || column_name || ': Parquet would round ' || v::varchar || '. Select it as text, with ::varchar')
);

-- JSON with each number as a text that begins with a mark, if DuckDB may write one otherwise. It rounds one with 17 digits
-- or an exponent, drops the last 0 of a fraction, and the sign of -0. A regular expression has one replacement for texts
-- and numbers. So chr(1) and chr(2), which no JSON has, enclose a number, and nothing behind a text.
create or replace macro marked_numbers(v, mark) as if(
  regexp_matches(v::varchar, '[0-9.]{17}|[0-9][eE][-+0-9]|[.][0-9]*0(?:[^0-9.]|$)|(?:^|[:,\[\s])-0(?:[^0-9.]|$)'),
  replace(
    replace(
      replace(
        regexp_replace(v::varchar, '("(?:[^"\\]|\\.)*")|(-?[0-9][-+.0-9eE]*)', '\1' || chr(1) || '\2' || chr(2), 'g'),
        chr(1) || chr(2),
        ''
      ),
      chr(1),
      '"' || mark
    ),
    chr(2),
    '"'
  )::json,
  v
);
