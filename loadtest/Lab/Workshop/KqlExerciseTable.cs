namespace DroneDelivery.Lab.Workshop;

/// <summary>The exercises of docs/tutorials/kql-primer.md, in its order.</summary>
internal static class KqlExerciseTable
{
    public static IReadOnlyList<KqlExercise> All { get; } =
    [
        new(
            "kql-1", "How many requests did each service answer? One row for each service: its name, and the number.",
            "requests | summarize sum(itemCount) by cloud_RoleName",
            "Which table has what a service was asked, and which column has the service?"),
        new(
            "kql-2", "Which calls failed? One row for each target and result code: target, result code, number.",
            "dependencies | where success == false | summarize sum(itemCount) by target, resultCode",
            "Keep the calls whose success is false, and count by two columns."),
        new(
            "kql-3", "How long does a call to each target take? One row for each target: target, median, 95th percentile.",
            "dependencies | summarize percentiles(duration, 50, 95) by target",
            "percentiles takes a column and then the percentiles, and gives a column for each."),
        new(
            "kql-4", "How many requests were accepted (202) in each 5 seconds? One row for each 5 seconds: time, number.",
            "requests | where cloud_RoleName has 'ingestion' and resultCode == '202' | summarize sum(itemCount) by bin(timestamp, 5s)",
            "bin(timestamp, 5s) is the beginning of the 5 seconds. Who answers 202 to a client?"),
        new(
            "kql-5", "Which exceptions were there? One row for each type: type, number.",
            "exceptions | summarize sum(itemCount) by type",
            "Exceptions have a table of their own."),
    ];
}
