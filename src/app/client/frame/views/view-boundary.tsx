import { Component, type ReactNode } from 'react';
import { logError } from '../../failures/error-log.ts';
import type { Route } from '../routes/route-table.rules.ts';
import { forgetScreen } from '../routes/screen-component.tsx';
import { FailedView } from './failed-view.tsx';

interface BoundaryProps {
  readonly route: Route;
  readonly children: ReactNode;
}

/** Catches what a screen throws: reports it and offers another try; other views live on. */
export class ViewBoundary extends Component<
  BoundaryProps,
  { readonly traceId?: string | undefined; readonly failed: boolean }
> {
  override state: { readonly traceId?: string | undefined; readonly failed: boolean } = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    // Names of components are shortened in the build; the route says where it was.
    this.setState({ traceId: logError(error, `component ${this.props.route.pattern}`) });
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <FailedView
        traceId={this.state.traceId}
        onRetry={() => {
          forgetScreen(this.props.route);
          this.setState({ failed: false, traceId: undefined });
        }}
      />
    );
  }
}
