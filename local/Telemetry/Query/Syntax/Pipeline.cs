namespace DroneDelivery.Telemetry.Query;

/// <summary>Where the rows come from: checks names and types, and makes the plan.</summary>
/// <exception cref="KqlException">A name or type does not fit.</exception>
internal delegate Plan Source(QueryBinder binder);

/// <summary>Checks the names and types of one step, and makes its plan from the plan of the rows before it.</summary>
/// <exception cref="KqlException">A name or type does not fit.</exception>
internal delegate Plan Step(Plan source, QueryBinder binder);

/// <summary>A source and the steps after it.</summary>
internal sealed record Pipeline(Source Source, IReadOnlyList<Step> Steps);

/// <summary><c>let name = value;</c></summary>
internal sealed record Let(int At, string Name, Expression Value);

internal sealed record Script(QueryText Text, IReadOnlyList<Let> Lets, Pipeline Query);
