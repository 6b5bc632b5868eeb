import { useText } from '../../../../kernel/client/language.ts';

/** The shape of a screen while its code loads. */
export function ScreenSkeleton() {
  const text = useText();
  return (
    <div className="screen-skeleton" role="status" aria-busy="true">
      <span className="visually-hidden">{text(['正在加载', 'Loading'])}</span>
      <i className="bone w30" />
      <i className="bone" />
      {Array.from({ length: 8 }, (_, row) => (
        <i key={row} className="bone tall" />
      ))}
    </div>
  );
}
