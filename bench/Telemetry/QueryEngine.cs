using System.Reflection;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Bench.Telemetry;

/// <summary>The query engine of a build over one run. Another build has the same names, and no type in common with this one.</summary>
/// <param name="snapshot">Of that build.</param>
internal sealed class QueryEngine(Assembly build, dynamic snapshot)
{
    private readonly MethodInfo _parse = build.GetType(typeof(KqlQuery).FullName!)!.GetMethod(nameof(KqlQuery.Parse))!;
    private readonly Type _options = build.GetType(typeof(QueryOptions).FullName!)!;

    public static async Task<QueryEngine> Load(Assembly build, string file)
    {
        var load = build.GetType(typeof(TelemetryStore).FullName!)!.GetMethod(nameof(TelemetryStore.LoadAsync))!;
        dynamic store = await (dynamic)load.Invoke(null, [file, CancellationToken.None])!;
        return new(build, store.Snapshot());
    }

    /// <returns>Rows of the answer; null: this build does not take the query.</returns>
    public int? Answer(string query, Dictionary<string, object> let)
    {
        const BindingFlags AsCalled = BindingFlags.OptionalParamBinding | BindingFlags.DoNotWrapExceptions;
        object?[] arguments = [query, .. _parse.GetParameters().Skip(1).Select(_ => Type.Missing)];
        dynamic options = Activator.CreateInstance(_options)!;
        _options.GetProperty(nameof(QueryOptions.Let))!.SetValue(options, let);
        try
        {
            dynamic parsed = _parse.Invoke(null, AsCalled, null, arguments, null)!;
            return parsed.Run(snapshot, options).Rows;
        }
        catch (Exception exception) when (exception.GetType().Name == nameof(KqlException))
        {
            return null;
        }
    }
}
