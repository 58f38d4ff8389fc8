namespace DroneDelivery.Lab.Charts;

/// <summary>The style sheet of charts. Incoming light blue and outgoing dark blue, as the article has them.</summary>
internal static class ChartStyle
{
    /// <remarks>The text grows on narrow screens, because the drawing shrinks there.</remarks>
    public const string Css = """
        :root { --incoming: #4fb3ea; --outgoing: #1b4f9c; --completed: #1b4f9c; --users: #7b4bb7; --backlog: #b8641b; --errors: #c4314b; --grid: #e3e6ea; --axis: #5a6472; }
        @media (prefers-color-scheme: dark) {
          :root { --incoming: #8fd3ff; --outgoing: #4c8df5; --completed: #4c8df5; --users: #b794f0; --backlog: #eba35c; --errors: #ff7b8f; --grid: #2c333d; --axis: #a3adba; }
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
        @media (max-width: 600px) { .chart text { font-size: 22px; } .chart .line { stroke-width: 4; } }
        """;
}
