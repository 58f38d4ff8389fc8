using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal sealed class Scope(QueryText text, TelemetrySnapshot snapshot, QueryContext context)
{
    private readonly Dictionary<string, Scalar> _values = [];
    private readonly Dictionary<string, Plan> _queries = [];

    public QueryText Text => text;

    public QueryContext Context => context;

    public IEnumerable<string> TableNames => _queries.Keys.Concat(snapshot.Tables.Keys);

    public IEnumerable<string> ValueNames => _values.Keys;

    public void Let(string name, Scalar value)
    {
        _queries.Remove(name);
        _values[name] = value;
    }

    public void Let(string name, Plan query)
    {
        _values.Remove(name);
        _queries[name] = query;
    }

    public Scalar? FindValue(string name) => _values.GetValueOrDefault(name);

    public Plan? FindTable(string name) =>
        _queries.TryGetValue(name, out var query) ? query
        : snapshot.Tables.TryGetValue(name, out var table) ? new TablePlan(table)
        : null;
}
