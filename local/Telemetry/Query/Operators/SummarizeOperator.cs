namespace DroneDelivery.Telemetry.Query;

/// <summary><c>summarize NAME = AGGREGATE, … by NAME = VALUE, …</c></summary>
internal sealed record SummarizeOperator(int At, IReadOnlyList<Named> Aggregates, IReadOnlyList<Named> By)
    : Operator(At)
{
    public static SummarizeOperator Parse(Parser parser, Token name)
    {
        List<Named> aggregates = parser.Tokens.Current.Is("by") ? [] : parser.ParseColumns();
        return new(name.At, aggregates, parser.Tokens.Accept("by") ? parser.ParseColumns() : []);
    }

    public override Plan Bind(Plan source, QueryBinder binder) => new SummarizeBinder(source, binder).Bind(this);
}
