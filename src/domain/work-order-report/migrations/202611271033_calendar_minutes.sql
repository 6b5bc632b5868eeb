-- Whole minutes of a working calendar between two instants, as the clocks of orders reckon them: own days of the calendar win over
-- national ones, an adjusted workday has the hours of its weekday, or of Monday where that one is free.
CREATE FUNCTION work_calendar_minutes(calendar bigint, since timestamptz, until timestamptz) RETURNS double precision
LANGUAGE sql STABLE STRICT AS $$
  SELECT floor(coalesce(sum(greatest(0, extract(epoch FROM
           least(until AT TIME ZONE 'Asia/Shanghai', d.day + h.to_time::interval)
           - greatest(since AT TIME ZONE 'Asia/Shanghai', d.day + h.from_time::interval)) / 60)), 0))::double precision
    FROM generate_series((since AT TIME ZONE 'Asia/Shanghai')::date::timestamp, until AT TIME ZONE 'Asia/Shanghai', interval '1 day') AS d(day)
    JOIN work_calendar c ON c.id = calendar
    LEFT JOIN work_calendar_day o ON o.calendar_id = c.id AND o.day = d.day::date
    LEFT JOIN business_calendar b ON c.public_holidays AND b.day = d.day::date
    JOIN work_calendar_hours h ON h.calendar_id = c.id AND h.weekday = CASE
           WHEN coalesce(o.type, b.type) = 'workday' AND NOT EXISTS
                (SELECT FROM work_calendar_hours w WHERE w.calendar_id = c.id AND w.weekday = extract(isodow FROM d.day)::integer::text) THEN '1'
           ELSE extract(isodow FROM d.day)::integer::text END
   WHERE coalesce(o.type, b.type, 'workday') = 'workday'
$$;
