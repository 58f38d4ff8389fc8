namespace DroneDelivery.Telemetry.Query;

internal delegate Plan Source(QueryBinder binder);

internal delegate Plan Step(Plan source, QueryBinder binder);

internal sealed record Pipeline(Source Source, IReadOnlyList<Step> Steps);

/// <summary><c>let name = value;</c></summary>
internal sealed record Let(int At, string Name, Expression Value);

internal sealed record Script(QueryText Text, IReadOnlyList<Let> Lets, Pipeline Query);
