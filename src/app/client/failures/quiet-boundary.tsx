import { Component, type ReactNode } from 'react';
import { logError } from './error-log.ts';

interface QuietBoundaryProps {
  /** What it holds, for the error log. */
  readonly where: string;
  readonly children: ReactNode;
  /** Shown instead; nothing by default. */
  readonly fallback?: ReactNode;
  readonly onError?: () => void;
}

/** Keeps a failing part of the frame from taking the rest with it: logs, reports and shows the fallback. */
export class QuietBoundary extends Component<QuietBoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    logError(error, `component ${this.props.where}`);
    this.props.onError?.();
  }

  override render() {
    return this.state.failed ? (this.props.fallback ?? null) : this.props.children;
  }
}
