import { Component, type ReactNode } from 'react';
import { isChunkFailure, logError } from '../../failures/error-log.ts';
import { isReachable } from '../../session/connection.ts';
import { leaveOnPurpose } from '../use-before-unload.ts';
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
  /** Times code of this view could not be loaded. */
  private missing = 0;

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    // Names of components are shortened in the build; the route says where it was.
    this.setState({ traceId: logError(error, `component ${this.props.route.pattern}`) });
    if (isChunkFailure(String(error))) this.missing += 1;
  }

  private async retry() {
    // A part that was refused once is not asked for again by this page: a new one has it. Drafts and tabs come along.
    if (this.missing > 1 && (await isReachable())) return leaveOnPurpose(() => window.location.reload());
    forgetScreen(this.props.route);
    this.setState({ failed: false, traceId: undefined });
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return <FailedView traceId={this.state.traceId} onRetry={() => void this.retry()} />;
  }
}
