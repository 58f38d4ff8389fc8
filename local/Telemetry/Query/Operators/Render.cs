using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>The last step of a query, which returns the rows unchanged.</summary>
internal sealed class RenderPlan(Plan source, int at, Rendering rendering) : Plan(source.Columns)
{
    public int At => at;

    public Rendering Rendering => rendering;

    protected override IEnumerable<Batch> Produce(QueryContext context) => source.Run(context);
}

/// <summary><c>render CHART with (PROPERTY = VALUE, …)</c></summary>
internal static class Render
{
    private static readonly string[] Charts =
    [
        .. "anomalychart areachart barchart card columnchart linechart piechart scatterchart stackedareachart table timechart".Split(
            ' '
        ),
    ];

    public static Step Parse(Parser parser, Token name)
    {
        var chart = parser.ExpectWord("the kind of chart");
        if (!Charts.Contains(chart.Text))
        {
            throw parser.Error(
                chart.At,
                $"'{chart.Text}' is not a kind of chart.",
                Similar.Hint(chart.Text, Charts) ?? $"Kinds: {string.Join(", ", Charts)}."
            );
        }
        var rendering = new Rendering(chart.Text, ParseProperties(parser));
        return (source, _) => new RenderPlan(source, name.At, rendering);
    }

    private static Dictionary<string, string> ParseProperties(Parser parser)
    {
        var properties = new Dictionary<string, string>();
        if (!parser.Accept("with"))
            return properties;
        parser.Expect("(", "after 'with'");
        foreach (var (property, value) in parser.ListOf(() => ParseProperty(parser)))
            properties[property] = value;
        parser.Expect(")", "after the properties");
        if (parser.Current.Is("|"))
            throw parser.Error(parser.Current.At, "nothing may follow render.", "Put render at the end.");
        return properties;
    }

    private static (string Name, string Value) ParseProperty(Parser parser)
    {
        var name = parser.ExpectWord("the name of a property").Text;
        parser.Expect("=", $"after '{name}'");
        var value = parser.Take();
        return (
            name,
            value is { Kind: TokenKind.Literal, Type: ColumnType.String, Value: string text } ? text : value.Text
        );
    }
}
