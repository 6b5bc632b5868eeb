-- Adding, changing and closing tenants, and packages themselves, are the platform's alone: companies that held the buttons saw
-- them without being able to use them.
UPDATE tenant_package SET rights = ARRAY(SELECT x FROM unnest(rights) x
    WHERE x !~ '^tenantManager:btn_(addCompany|addCity|edit|enable|disable|resetPwd|package)$')
 WHERE EXISTS (SELECT FROM unnest(rights) x WHERE x ~ '^tenantManager:btn_(addCompany|addCity|edit|enable|disable|resetPwd|package)$');
DELETE FROM element_grant g USING permission_group p JOIN tenant t ON t.id = p.tenant_id
 WHERE p.id = g.group_id AND t.kind <> 3 AND g.element_code ~ '^tenantManager:btn_(addCompany|addCity|edit|enable|disable|resetPwd|package)$';
