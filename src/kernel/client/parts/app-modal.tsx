import { Modal, type ModalProps } from 'antd';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import { FocusFirst } from './focus-first.tsx';
import { useLayerClass } from '../view.ts';
import { useEscape } from './use-escape.ts';
import '../kernel.css';

/**
 * The only dialog of the product. antd's Modal crashes the page when a hidden tab with an open one is shown again
 * unless its transitions are off (measured; see docs on Activity), so the raw component is banned.
 * Esc cancels it when it is the top layer; with `keyboard` false Esc does nothing, to those below neither.
 */
export function AppModal(props: Omit<ModalProps, 'transitionName' | 'maskTransitionName'>) {
  const text = useText();
  const layer = useLayerClass();
  const { keyboard = true, onCancel } = props;
  useEscape(props.open === true, () => {
    if (keyboard) onCancel?.(undefined as never);
  });
  return (
    <Modal
      centered
      destroyOnHidden
      mask={{ closable: false }}
      okText={text(words.ok)}
      cancelText={text(words.cancel)}
      {...props}
      keyboard={false}
      rootClassName={`${layer} ${props.rootClassName ?? ''}`}
      className={`k-modal ${props.className ?? ''}`}
      transitionName=""
      maskTransitionName=""
    >
      <FocusFirst />
      {props.children}
    </Modal>
  );
}
