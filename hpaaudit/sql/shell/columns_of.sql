-- Which columns does a relation have, and what are they?
-- One row per column, in their order. In place of {relation} stands its name. The meaning is the comment in the results file.
select d.column_name as "column", lower(d.column_type) as type, any_value(c.comment) as meaning
from (describe {relation}) as d
left join duckdb_columns() as c
    on c.table_name = '{relation}' and c.column_name = d.column_name and c.comment is not null
group by d.column_name, d.column_type
order by min(c.column_index), d.column_name;
