import { Image } from 'antd';
import type { FileValue } from '../../contract/fields.ts';

/** Pictures of a row, larger on click. */
export function Gallery({ files }: { readonly files: readonly FileValue[] }) {
  return (
    <Image.PreviewGroup>
      <span className="k-gallery">
        {files.map((file) => (
          <Image key={file.id} src={file.url} alt={file.name} width={72} height={72} />
        ))}
      </span>
    </Image.PreviewGroup>
  );
}
