using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Measure;

internal static class RunItems
{
    private static readonly KqlQuery Calls = Query(
            "dependencies",
            """
            | where cloud_RoleName has 'workflow'
            | where name endswith 'Complete' or target in ('package', 'delivery', 'dronescheduler')
            | project timestamp, cloud_RoleName, cloud_RoleInstance, name, target, duration, success, itemCount
            """
        ),
        Requests = Query(
            "requests",
            "| project timestamp, cloud_RoleName, cloud_RoleInstance, name, target = '', duration, success, itemCount"
        ),
        Processes = Query("replicaSamples", "| project timestamp, service, replica, cpu"),
        Nodes = Query("nodeSamples", "| project timestamp, node, cpu");

    public static IReadOnlyList<TelemetryItem> Of(
        RunTelemetry run,
        StageTimes stage,
        CancellationToken cancellationToken
    )
    {
        QueryResult Ask(KqlQuery query) => run.Ask(query, stage, cancellationToken);
        return
        [
            .. Timed(Ask(Calls), ItemKind.Dependency),
            .. Timed(Ask(Requests), ItemKind.Request),
            .. Rows(Ask(Processes), it => new TelemetryItem(
                ItemKind.ProcessCpu,
                Time(it(0)),
                (string)it(1)!,
                (string)it(2)!,
                "",
                "",
                (double)it(3)!,
                true
            )),
            .. Rows(Ask(Nodes), it => new TelemetryItem(
                ItemKind.NodeCpu,
                Time(it(0)),
                "",
                (string)it(1)!,
                "",
                "",
                (double)it(2)!,
                true
            )),
        ];
    }

    private static KqlQuery Query(string table, string rest) =>
        KqlQuery.Parse(
            $"let start = ago(1h); let end = now(); {table} | where timestamp > start and timestamp < end {rest}"
        );

    private static IEnumerable<TelemetryItem> Timed(QueryResult answer, ItemKind kind) =>
        Rows(answer, it => new TelemetryItem(
            kind,
            Time(it(0)),
            $"{it(1)}",
            $"{it(2)}",
            $"{it(3)}",
            $"{it(4)}",
            (double)it(5)!,
            it(6) is true,
            it(7) is long count ? count : 1
        ));

    private static IEnumerable<TelemetryItem> Rows(QueryResult answer, Func<Func<int, object?>, TelemetryItem> item) =>
        Enumerable.Range(0, answer.Rows).Select(row => item(column => answer[row, column]));

    private static DateTimeOffset Time(object? cell) => new((DateTime)cell!);
}
