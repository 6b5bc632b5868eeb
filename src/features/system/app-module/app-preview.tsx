import { useState } from 'react';
import { Input, Segmented, Skeleton } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { keysOf, rootOf, type OptionEntry } from '../../../kernel/client/wire.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { PhoneFrame } from '../../../kernel/client/parts/phone-frame.tsx';
import { appModule, SYSTEMS } from './app-module.contract.ts';
import { VERSION, type Phone } from './app-module.rules.ts';
import './app-preview.css';

interface Shown {
  readonly id: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly nameEn: string;
  readonly logo: FileValue | null;
  readonly badge: string;
  readonly showType: string;
  readonly needsLogin: boolean;
}

type System = keyof typeof SYSTEMS;

const LATEST = '9.9.9';
const PATTERN = new RegExp(`^${VERSION.source}$`);

/** What somebody sees: chosen by project, app and version, as the server decides it. */
export function AppPreview() {
  const text = useText();
  const [system, setSystem] = useState<System>('owner');
  const [phone, setPhone] = useState<Phone>('ios');
  const [version, setVersion] = useState(LATEST);
  const [asked, setAsked] = useState(LATEST);
  const [project, setProject] = useState<OptionEntry>();
  const isVersion = PATTERN.test(version);
  const query = { system, phone, version: asked, ...(project ? { project: project.id } : {}) };
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(appModule.name), 'preview', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<{ modules: readonly Shown[] }>('GET', `${rootOf(appModule)}/preview`, {
        query,
        signal,
        quiet: true,
      }),
  });
  return (
    <section className="ap-panel" aria-label={text(['手机预览', 'Phone preview'])}>
      <Segmented
        block
        aria-label={text(appModule.fields.system.label)}
        value={system}
        onChange={setSystem}
        options={(Object.keys(SYSTEMS) as System[]).map((value) => ({
          value,
          label: text(SYSTEMS[value].label),
        }))}
      />
      <RemoteSelect
        target="project"
        label={text(['小区', 'Project'])}
        placeholder={text(['选择小区', 'Choose a project'])}
        value={project ? [project.id] : []}
        known={project ? { [project.id]: project.title } : {}}
        onChange={(_ids, entries) => setProject(entries[0])}
      />
      <div className="ap-version">
        <Segmented
          aria-label={text(['手机', 'Phone'])}
          value={phone}
          onChange={setPhone}
          options={[
            { value: 'ios', label: 'iOS' },
            { value: 'android', label: 'Android' },
          ]}
        />
        <Input
          value={version}
          status={isVersion ? '' : 'error'}
          prefix="v"
          aria-label={text(['App 版本', 'App version'])}
          aria-invalid={!isVersion}
          title={isVersion ? undefined : text(VERSION.message)}
          onChange={(event) => {
            const next = event.target.value.trim();
            setVersion(next);
            if (PATTERN.test(next)) setAsked(next);
          }}
        />
      </div>
      {!isVersion && (
        <p className="k-problem k-small" role="alert">
          {text(VERSION.message)}
        </p>
      )}
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <PhoneFrame title={project?.title ?? text(SYSTEMS[system].label)}>
          <Modules modules={data.modules} />
        </PhoneFrame>
      ) : (
        <Skeleton active />
      )}
    </section>
  );
}

/** The same over a page that has no room beside it. */
export function PreviewDrawer({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  return (
    <AppDrawer open size={380} title={text(['手机预览', 'Phone preview'])} onClose={onClose}>
      <AppPreview />
    </AppDrawer>
  );
}

function Modules({ modules }: { readonly modules: readonly Shown[] }) {
  const text = useText();
  const below = (id: string | null) => modules.filter((one) => one.parentId === id);
  const roots = below(null);
  if (roots.length === 0)
    return <p className="ap-empty">{text(['这里什么都看不到', 'There is nothing to see here'])}</p>;
  const alone = roots.filter((one) => below(one.id).length === 0);
  return (
    <>
      {alone.length > 0 && <Tiles modules={alone} below={below} />}
      {roots
        .filter((one) => below(one.id).length > 0)
        .map((one) => (
          <section key={one.id} className="ap-group">
            <h4>
              {text([one.name, one.nameEn])} <Badge text={one.badge} />
            </h4>
            <Tiles modules={below(one.id)} below={below} />
          </section>
        ))}
    </>
  );
}

function Tiles({
  modules,
  below,
}: {
  readonly modules: readonly Shown[];
  readonly below: (id: string) => readonly Shown[];
}) {
  const text = useText();
  const nameOf = (one: Shown) => text([one.name, one.nameEn]);
  return (
    <ul className="ap-tiles">
      {modules.map((one) => (
        <li key={one.id}>
          <span className="ap-icon">
            {one.logo && <img src={one.logo.url} alt="" width={40} height={40} />}
            <Badge text={one.badge} />
          </span>
          <span>{nameOf(one)}</span>
          {one.needsLogin && <small>{text(['需登录', 'Sign-in'])}</small>}
          {below(one.id).map((child) => (
            <small key={child.id}>
              {nameOf(child)} <Badge text={child.badge} />
            </small>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Badge({ text }: { readonly text: string }) {
  return text === '' ? null : <em className="ap-badge">{text}</em>;
}
