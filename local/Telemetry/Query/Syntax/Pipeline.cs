namespace DroneDelivery.Telemetry.Query;

/// <summary>Binds the source of a query and returns its plan.</summary>
/// <exception cref="KqlException">A name or type is invalid.</exception>
internal delegate Plan Source(QueryBinder binder);

/// <summary>Binds a step and returns its plan, based on the previous one.</summary>
/// <exception cref="KqlException">A name or type is invalid.</exception>
internal delegate Plan Step(Plan source, QueryBinder binder);

/// <summary>A source and its steps.</summary>
internal sealed record Pipeline(Source Source, IReadOnlyList<Step> Steps);

/// <summary><c>let name = value;</c></summary>
internal sealed record Let(int At, string Name, Expression Value);

internal sealed record Script(QueryText Text, IReadOnlyList<Let> Lets, Pipeline Query);
