using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>render CHART with (PROPERTY = VALUE, …)</c></summary>
internal sealed record RenderOperator(int At, string Chart, IReadOnlyDictionary<string, string> Properties)
    : Operator(At)
{
    private static readonly string[] Charts =
    [
        "anomalychart",
        "areachart",
        "barchart",
        "card",
        "columnchart",
        "linechart",
        "piechart",
        "scatterchart",
        "stackedareachart",
        "table",
        "timechart",
    ];

    public static RenderOperator Parse(Parser parser, Token name)
    {
        var tokens = parser.Tokens;
        var chart = tokens.ExpectWord("the kind of chart");
        if (Array.IndexOf(Charts, chart.Text) < 0)
        {
            throw tokens.Error(
                chart.At,
                $"'{chart.Text}' is not a kind of chart.",
                Similar.Hint(chart.Text, Charts) ?? $"Kinds are {string.Join(", ", Charts)}."
            );
        }
        var properties = new Dictionary<string, string>();
        if (!tokens.Accept("with"))
            return new(name.At, chart.Text, properties);
        tokens.Expect("(", "after 'with'");
        foreach (var (property, value) in tokens.List(() => ParseProperty(tokens)))
            properties[property] = value;
        tokens.Expect(")", "after the properties");
        if (tokens.Current.Is("|"))
            throw tokens.Error(tokens.Current.At, "nothing may follow render.", "Put render at the end.");
        return new(name.At, chart.Text, properties);
    }

    /// <summary>A render that ends the query is no step of it: <see cref="KqlQuery"/> takes it off before.</summary>
    public override Plan Bind(Plan source, QueryBinder binder) =>
        throw binder.Error(At, "render stands at the end of a query only.", "Put it behind the last step.");

    private static (string Name, string Value) ParseProperty(TokenStream tokens)
    {
        var name = tokens.ExpectWord("the name of a property").Text;
        tokens.Expect("=", $"after '{name}'");
        var value = tokens.Take();
        return (
            name,
            value is { Kind: TokenKind.Literal, Type: ColumnType.String, Value: string text } ? text : value.Text
        );
    }
}
