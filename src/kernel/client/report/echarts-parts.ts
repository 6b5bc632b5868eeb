import { BarChart, LineChart, PieChart } from 'echarts/charts';
import { GridComponent, LegendScrollComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([BarChart, LineChart, PieChart, GridComponent, LegendScrollComponent, TooltipComponent, CanvasRenderer]);

/** The chart library with only the parts the product draws; imported when the first chart is shown. */
export const initChart = init;
