import './shortcut-sheet.css';
import { AppModal } from '../../../../kernel/client/parts/app-modal.tsx';
import { useText } from '../../../../kernel/client/language.ts';
import { closeLayer } from '../layers.ts';
import { shortcutSections } from './shortcut-list.ts';

/** Sheet of all keyboard shortcuts. */
export default function ShortcutSheet() {
  const text = useText();
  return (
    <AppModal open title={text(['快捷键', 'Shortcuts'])} width={720} footer={null} onCancel={closeLayer}>
      <div className="sheet">
        {shortcutSections.map((section) => (
          <section key={section.title[1]}>
            <h3>{text(section.title)}</h3>
            <dl>
              {section.lines.map((line) => (
                <div key={line.label[1]}>
                  <dt>{text(line.label)}</dt>
                  <dd>
                    {line.keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </AppModal>
  );
}
