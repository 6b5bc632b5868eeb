-- Offered times of a service in a project between two instants, with their places: weekly opening less stops, each step. Lead
-- hours and horizon are the asker's. One statement of what is offered, for lists, pages, checks and the calendar.
CREATE FUNCTION service_times(of_product bigint, of_project bigint, since timestamptz, until timestamptz)
RETURNS TABLE (starts_at timestamptz, ends_at timestamptz, capacity integer, over integer, taken integer) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT s.starts_at, s.starts_at + make_interval(mins => s.duration_min), coalesce(k.capacity, s.capacity)::integer,
         coalesce(k.over, 0)::integer, coalesce(k.taken, 0)::integer
    FROM (SELECT DISTINCT ON (1) (d.day + make_interval(mins => m.minute)) AT TIME ZONE 'Asia/Shanghai' AS starts_at,
                 coalesce(t.capacity, v.slot_capacity) AS capacity, v.duration_min
            FROM generate_series((since AT TIME ZONE 'Asia/Shanghai')::date::timestamp, (until AT TIME ZONE 'Asia/Shanghai')::date::timestamp, interval '1 day') AS d (day)
            JOIN service_template t ON t.product_id = of_product AND t.weekday = extract(isodow FROM d.day)
             AND d.day::date >= coalesce(t.valid_from, d.day::date) AND d.day::date <= coalesce(t.valid_to, d.day::date)
            JOIN service_setting v ON v.product_id = t.product_id
           CROSS JOIN LATERAL generate_series(t.from_minute, t.to_minute - v.duration_min, v.step_min) AS m (minute)
           ORDER BY 1) s
    LEFT JOIN service_slot k ON k.product_id = of_product AND k.project_id = of_project AND k.starts_at = s.starts_at
   WHERE s.starts_at >= since AND s.starts_at < until
     AND NOT EXISTS (SELECT FROM service_stop x WHERE x.product_id = of_product AND (x.project_id IS NULL OR x.project_id = of_project)
           AND x.period && tstzrange(s.starts_at, s.starts_at + make_interval(mins => s.duration_min)))
   ORDER BY 1
$$;

-- Places of a service nobody has taken in the next 14 days: of one project, or of all it is offered in.
CREATE FUNCTION service_free_places(of_product bigint, of_project bigint DEFAULT NULL) RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(sum(greatest(0, f.capacity + f.over - f.taken)), 0)::integer
    FROM product_project p CROSS JOIN LATERAL service_times(of_product, p.project_id, now(), now() + interval '14 days') f
   WHERE p.product_id = of_product AND (of_project IS NULL OR p.project_id = of_project)
$$;
