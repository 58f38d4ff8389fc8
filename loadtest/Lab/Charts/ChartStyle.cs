namespace DroneDelivery.Lab.Charts;

/// <summary>The style sheet of charts. Incoming light blue and outgoing dark blue, as the article has them.</summary>
internal static class ChartStyle
{
    /// <summary>Colours <c>stage-0</c>, <c>stage-1</c>, … for charts with a line for each stage.</summary>
    public const int StageColours = 8;

    /// <remarks>The text grows on narrow screens, because the drawing shrinks there.</remarks>
    public const string Css = """
        :root { --incoming: #4fb3ea; --outgoing: #1b4f9c; --completed: #1b4f9c; --users: #7b4bb7; --backlog: #b8641b; --errors: #c4314b; --grid: #e3e6ea; --axis: #5a6472; }
        :root { --stage-0: #8a93a0; --stage-1: #b8641b; --stage-2: #c4314b; --stage-3: #7b4bb7; --stage-4: #1b4f9c; --stage-5: #4fb3ea; --stage-6: #17803d; --stage-7: #00838f; }
        @media (prefers-color-scheme: dark) {
          :root { --incoming: #8fd3ff; --outgoing: #4c8df5; --completed: #4c8df5; --users: #b794f0; --backlog: #eba35c; --errors: #ff7b8f; --grid: #2c333d; --axis: #a3adba; }
          :root { --stage-0: #a3adba; --stage-1: #eba35c; --stage-2: #ff7b8f; --stage-3: #b794f0; --stage-4: #4c8df5; --stage-5: #8fd3ff; --stage-6: #57d488; --stage-7: #5ed3df; }
        }
        .chart { margin: 1.5rem 0; }
        .chart figcaption { font-weight: 600; margin-bottom: .25rem; }
        .chart svg { display: block; width: 100%; height: auto; }
        .chart text { font-size: 13px; fill: var(--axis); }
        .chart text.y, .chart text.mark { text-anchor: end; }
        .chart text.x { text-anchor: middle; }
        .chart .grid { stroke: var(--grid); }
        .chart .mark { stroke: var(--axis); stroke-dasharray: 4 4; }
        .chart text.mark { stroke: none; }
        .chart .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
        .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: .25rem 0 0; padding: 0; font-size: .9rem; }
        .swatch { display: inline-block; width: 1.4em; height: .3em; margin-right: .5em; vertical-align: middle; }
        .line.incoming { stroke: var(--incoming); } .swatch.incoming { background: var(--incoming); }
        .line.outgoing { stroke: var(--outgoing); } .swatch.outgoing { background: var(--outgoing); }
        .line.completed { stroke: var(--completed); } .swatch.completed { background: var(--completed); }
        .line.users { stroke: var(--users); } .swatch.users { background: var(--users); }
        .line.backlog { stroke: var(--backlog); } .swatch.backlog { background: var(--backlog); }
        .line.errors { stroke: var(--errors); } .swatch.errors { background: var(--errors); }
        .line.stage-0 { stroke: var(--stage-0); } .swatch.stage-0 { background: var(--stage-0); }
        .line.stage-1 { stroke: var(--stage-1); } .swatch.stage-1 { background: var(--stage-1); }
        .line.stage-2 { stroke: var(--stage-2); } .swatch.stage-2 { background: var(--stage-2); }
        .line.stage-3 { stroke: var(--stage-3); } .swatch.stage-3 { background: var(--stage-3); }
        .line.stage-4 { stroke: var(--stage-4); } .swatch.stage-4 { background: var(--stage-4); }
        .line.stage-5 { stroke: var(--stage-5); } .swatch.stage-5 { background: var(--stage-5); }
        .line.stage-6 { stroke: var(--stage-6); } .swatch.stage-6 { background: var(--stage-6); }
        .line.stage-7 { stroke: var(--stage-7); } .swatch.stage-7 { background: var(--stage-7); }
        @media (max-width: 600px) { .chart text { font-size: 22px; } .chart .line { stroke-width: 4; } }
        """;
}
