namespace DroneDelivery.Telemetry.Query;

/// <summary>A source and what is done to it, step by step.</summary>
internal sealed record Pipeline(Source Source, IReadOnlyList<Operator> Operators);

/// <summary>Where the rows come from.</summary>
internal abstract record Source(int At)
{
    /// <exception cref="KqlException">A name or type does not fit.</exception>
    public abstract Plan Bind(QueryBinder binder);
}

/// <summary>A table, or what a <c>let</c> has named.</summary>
internal sealed record NamedSource(int At, string Name) : Source(At)
{
    public override Plan Bind(QueryBinder binder) => binder.FindTable(At, Name);
}

internal sealed record NestedSource(int At, Pipeline Pipeline) : Source(At)
{
    public override Plan Bind(QueryBinder binder) => binder.Bind(Pipeline);
}

/// <summary>One step. The file of each operator says how it is read (<c>Parse</c>) and what it does (<see cref="Bind"/>).</summary>
/// <param name="At">Where the operator's name stands.</param>
internal abstract record Operator(int At)
{
    /// <summary>Checks names and types, and turns the step into a plan.</summary>
    /// <exception cref="KqlException">A name or type does not fit.</exception>
    public abstract Plan Bind(Plan source, QueryBinder binder);
}

/// <summary><c>let name = value;</c></summary>
internal sealed record Let(int At, string Name, Expression Value);

internal sealed record Script(QueryText Text, IReadOnlyList<Let> Lets, Pipeline Query);
