namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>The two queries of the article "Distributed business transaction performance tuning", as printed there
/// but for dates and host.</summary>
public sealed class ArticleQueriesTests
{
    private const string Throughput = """
        let start=datetime("2030-01-01T22:30:00.000Z");
        let end=datetime("2030-01-01T22:45:00.000Z");
        dependencies
        | where cloud_RoleName == 'fabrikam-workflow'
        | where timestamp > start and timestamp < end
        | where type == 'Azure Service Bus'
        | where target has 'https://lab.servicebus.windows.net'
        | where client_Type == "PC"
        | where name == "Complete"
        | summarize succeeded=sumif(itemCount, success == true), failed=sumif(itemCount, success == false) by bin(timestamp, 5s)
        | render timechart
        """;

    private const string Latencies = """
        let start=datetime("2030-01-01T22:30:00.000Z");
        let end=datetime("2030-01-01T22:45:00.000Z");
        let dataset=dependencies
        | where timestamp > start and timestamp < end
        | where (cloud_RoleName == 'fabrikam-workflow')
        | where name == 'Complete' or target in ('package', 'delivery', 'dronescheduler');
        dataset
        | summarize percentiles(duration, 50, 95) by target
        """;

    private const string Bus = "https://lab.servicebus.windows.net/ | lab";

    private static readonly TelemetrySnapshot Tables = Answer.Tables(Answer.Table("dependencies",
        "timestamp:datetime, cloud_RoleName:string, type:string, target:string, name:string, "
            + "client_Type:string, success:bool, itemCount:int, duration:real",
        Row("22:30:01", Bus, "Complete", true, 80),
        Row("22:30:02", Bus, "Complete", true, 90, itemCount: 3),
        Row("22:30:04", Bus, "Complete", false, 300),
        Row("22:30:06", Bus, "Complete", true, 100),
        Row("22:30:00", Bus, "Complete", true, 1), // not after the start
        Row("22:45:00", Bus, "Complete", true, 1), // not before the end
        Row("22:31:00", Bus, "Complete", true, 2, role: "fabrikam-ingestion"),
        Row("22:31:00", "https://lab.servicebus.windows.netx/ | lab", "Complete", true, 110), // another term
        Row("22:31:00", "package", "PUT", true, 12, type: "Http"),
        Row("22:31:00", "package", "PUT", true, 17, type: "Http"),
        Row("22:31:00", "delivery", "PUT", true, 37, type: "Http"),
        Row("22:31:00", "elsewhere", "PUT", true, 5, type: "Http")));

    [Fact]
    public void Throughput_is_counted_in_bins_of_five_seconds()
    {
        Assert.Equal(
            "timestamp:datetime, succeeded:long, failed:long\n2030-01-01T22:30:00Z; 4; 1\n2030-01-01T22:30:05Z; 1; 0",
            Answer.To(Throughput, Tables));
        var result = KqlQuery.Parse(Throughput).Run(Tables, cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal("timechart", result.Rendering!.Chart);
    }

    [Fact]
    public void Latencies_come_as_percentiles_by_target() => Assert.Equal(
        "target:string, percentile_duration_50:real, percentile_duration_95:real\n"
            + "https://lab.servicebus.windows.net/ | lab; 90; 300\n"
            + "https://lab.servicebus.windows.netx/ | lab; 110; 110\npackage; 12; 17\ndelivery; 37; 37",
        Answer.To(Latencies, Tables));

    private static object?[] Row(string time, string target, string name, bool success, double duration, int itemCount = 1,
        string role = "fabrikam-workflow", string type = "Azure Service Bus") =>
        [$"2030-01-01T{time}Z", role, type, target, name, "PC", success, itemCount, duration];
}
