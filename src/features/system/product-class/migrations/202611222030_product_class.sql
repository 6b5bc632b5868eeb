-- Classes of products are kept on a screen.
ALTER TABLE product_class
  ADD COLUMN name_en text NOT NULL DEFAULT '' CHECK (length(name_en) <= 40),
  ADD COLUMN image_id uuid,
  ADD COLUMN commission_bp integer CHECK (commission_bp BETWEEN 0 AND 10000),
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN created_by bigint,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN updated_by bigint,
  ADD CONSTRAINT product_class_place UNIQUE (id, business_id),
  ADD CONSTRAINT product_class_same_business FOREIGN KEY (parent_id, business_id) REFERENCES product_class (id, business_id);
-- Names differ among the classes that stand beside each other.
CREATE UNIQUE INDEX product_class_name ON product_class (business_id, coalesce(parent_id, 0), lower(name));
CREATE INDEX product_class_parent ON product_class (parent_id, sort);
CREATE INDEX product_class_member_class ON product_class_member (class_id);

-- Tenants that may use a class; none: all.
CREATE TABLE product_class_tenant (
  class_id bigint NOT NULL REFERENCES product_class ON DELETE CASCADE,
  tenant_id bigint NOT NULL REFERENCES tenant,
  PRIMARY KEY (class_id, tenant_id)
);
CREATE INDEX product_class_tenant_tenant ON product_class_tenant (tenant_id);

-- Classes at the top stand in one order, business by business.
UPDATE product_class SET sort = x.place FROM (
  SELECT c.id, row_number() OVER (PARTITION BY c.parent_id ORDER BY b.sort, b.id, c.sort, c.id) AS place
    FROM product_class c JOIN business b ON b.id = c.business_id) x WHERE x.id = product_class.id;
UPDATE product_class SET name_en = x.en FROM (VALUES
  ('粮油副食', 'Grain, oil & food'),
  ('大米', 'Rice'),
  ('面粉杂粮', 'Flour & grains'),
  ('食用油', 'Cooking oil'),
  ('调味品', 'Seasonings'),
  ('干货', 'Dried food'),
  ('家居日用', 'Household'),
  ('纸品', 'Paper'),
  ('清洁剂', 'Cleaners'),
  ('厨房用品', 'Kitchenware'),
  ('收纳', 'Storage'),
  ('床品毛巾', 'Bedding & towels'),
  ('时令水果', 'Seasonal fruit'),
  ('热带水果', 'Tropical fruit'),
  ('柑橘', 'Citrus'),
  ('苹果梨', 'Apples & pears'),
  ('浆果', 'Berries'),
  ('礼盒', 'Gift boxes'),
  ('家用电器', 'Appliances'),
  ('大家电', 'Large appliances'),
  ('厨房电器', 'Kitchen appliances'),
  ('生活电器', 'Small appliances'),
  ('净水设备', 'Water purifiers'),
  ('宠物用品', 'Pets'),
  ('主粮', 'Pet food'),
  ('零食', 'Pet snacks'),
  ('用品', 'Pet supplies'),
  ('洗护', 'Wash & care'),
  ('母婴玩具', 'Baby & toys'),
  ('纸尿裤', 'Nappies'),
  ('喂养', 'Feeding'),
  ('玩具', 'Toys'),
  ('文体用品', 'Stationery & sports'),
  ('书写工具', 'Writing'),
  ('本册', 'Notebooks'),
  ('运动户外', 'Sports & outdoor'),
  ('茶叶礼品', 'Tea & gifts'),
  ('绿茶', 'Green tea'),
  ('红茶', 'Black tea'),
  ('乌龙茶', 'Oolong tea'),
  ('花草茶', 'Herbal tea'),
  ('茶具', 'Tea sets'),
  ('生鲜团', 'Fresh food deals'),
  ('日用团', 'Household deals'),
  ('产地好物', 'From the source'),
  ('匠心好物', 'Craft finds'),
  ('整点疯抢', 'Hourly rush'),
  ('保洁服务', 'Cleaning'),
  ('日常保洁', 'Regular cleaning'),
  ('深度保洁', 'Deep cleaning'),
  ('家电维修', 'Appliance care'),
  ('空调清洗', 'Air-con cleaning'),
  ('家电检修', 'Appliance repair'),
  ('搬家服务', 'Moving')) AS x (zh, en) WHERE x.zh = product_class.name;
