using System.Text;

namespace DroneDelivery.Telemetry.Tests.Ingest;

public sealed class IngestTests : IAsyncDisposable
{
    private readonly TelemetryStore _store = new();

    public ValueTask DisposeAsync() => _store.DisposeAsync();

    [Theory]
    [InlineData("A\nB\n")]
    [InlineData("A\r\nB")]
    [InlineData("AB")]
    [InlineData(" \r\n A\n\n\n B \n")]
    [InlineData("[A,B]")]
    [InlineData("[\n A ,\n B\n]\n")]
    [InlineData("\uFEFFA\nB")]
    public void Items_are_read_as_lines_or_as_an_array(string layout)
    {
        var body = layout
            .Replace("A", Items.Dependency("A"), StringComparison.Ordinal)
            .Replace("B", Items.Dependency("B"), StringComparison.Ordinal);

        var result = _store.Ingest(Encoding.UTF8.GetBytes(body));

        Assert.Equal((2, 2, 0), (result.Received, result.Accepted, result.Errors.Count));
        Assert.Equal(["A", "B"], Names());
    }

    [Theory]
    [InlineData("not json")]
    [InlineData("5")]
    [InlineData("[]")]
    [InlineData("{\"time\":")]
    [InlineData(
        "{\"time\":\"2030-01-01T00:00:00Z\",\"data\":{\"baseType\":\"EventData\",\"baseData\":{\"name\":\"\\ud800\"}}}"
    )]
    [InlineData(
        "{\"time\":\"2030-01-01T00:00:00Z\","
            + "\"data\":{\"baseType\":\"EventData\",\"baseData\":{\"properties\":{\"a\":\"\\ud800\"}}}}"
    )]
    [InlineData("{\"data\":{\"baseType\":\"EventData\",\"baseData\":{}}}")]
    [InlineData("{\"time\":\"yesterday\",\"data\":{\"baseType\":\"EventData\",\"baseData\":{}}}")]
    [InlineData("{\"time\":\"2030-01-01T00:00:00Z\"}")]
    [InlineData("{\"time\":\"2030-01-01T00:00:00Z\",\"data\":7}")]
    // In the file, its line would be read as a row of the table.
    [InlineData(
        "{\"table\":\"queueSamples\",\"row\":{\"queue\":\"q\"},\"time\":\"2030-01-01T00:00:00Z\","
            + "\"data\":{\"baseType\":\"EventData\",\"baseData\":{}}}"
    )]
    [InlineData(
        "{\"time\":\"2030-01-01T00:00:00Z\",\"data\":{\"baseType\":\"ExceptionData\",\"baseData\":{\"exceptions\":\"none\"}}}"
    )]
    [InlineData(
        "{\"time\":\"2030-01-01T00:00:00Z\",\"data\":{\"baseType\":\"MetricData\",\"baseData\":{\"metrics\":\"none\"}}}"
    )]
    public void Malformed_item_is_rejected_alone(string line)
    {
        var result = _store.Ingest(Items.Body(Items.Dependency("A"), line, Items.Dependency("B")));

        Assert.Equal((3, 2), (result.Received, result.Accepted));
        Assert.Equal((1, 400), (Assert.Single(result.Errors).Index, result.Errors[0].StatusCode));
        Assert.Equal(1, _store.Counts.Refused[RefusalReason.Malformed]);
        Assert.Equal(["A", "B"], Names());
    }

    [Theory]
    [InlineData("\"success\":true,", true)]
    [InlineData("\"success\":false,", false)]
    [InlineData("\"success\":\"false\",", false)]
    [InlineData("\"success\":null,", true)]
    [InlineData("", true)] // Application Insights also treats a call without the field as a success.
    public void Call_is_a_success_unless_it_states_a_failure(string success, bool isSuccess)
    {
        _store.Ingest(Items.Body(Items.Dependency().Replace("\"success\":true,", success, StringComparison.Ordinal)));

        Assert.Equal(isSuccess, Rows.Of(_store.Snapshot(), "dependencies").Single()["success"]);
    }

    [Fact]
    public void Metric_with_one_value_is_its_own_minimum_and_maximum()
    {
        _store.Ingest(
            Items.Body(
                """{"time":"2030-01-01T12:00:00Z","iKey":"k","data":"""
                    + """{"baseType":"MetricData","baseData":{"metrics":[{"name":"Backlog","value":7.5}]}}}"""
            )
        );

        var row = Rows.Of(_store.Snapshot(), "customMetrics").Single();
        Assert.Equal(
            (7.5, 1L, 7.5, 7.5, 7.5, 0.0),
            (row["value"], row["valueCount"], row["valueSum"], row["valueMin"], row["valueMax"], row["valueStdDev"])
        );
    }

    [Fact]
    public void Text_that_is_not_UTF_8_remains_readable()
    {
        var item =
            """{"time":"2030-01-01T12:00:00Z","data":{"baseType":"EventData","baseData":{"name":"B?","properties":{"a":"A?"}}}}""";
        var body = Items.Body(item).ToArray();
        for (var at = 0; (at = Array.IndexOf(body, (byte)'?')) >= 0; )
            body[at] = 0xFF;

        Assert.Empty(_store.Ingest(body).Errors);
        Assert.Equal(
            "name:string, a:string\nB\uFFFD; A\uFFFD",
            Answer.To("customEvents | project name, a = tostring(customDimensions.a)", _store.Snapshot())
        );
    }

    [Fact]
    public void Item_of_another_run_is_rejected_and_counted()
    {
        var store = new TelemetryStore(new() { InstrumentationKey = "mine", Begin = Items.Noon });

        var result = store.Ingest(
            Items.Body(
                Items.Dependency(key: "MINE"),
                Items.Dependency(key: "other"),
                Items.Dependency(key: "mine", time: Items.Noon.AddSeconds(-1))
            )
        );

        Assert.Equal([1, 2], result.Errors.Select(error => error.Index));
        Assert.Contains("iKey", result.Errors[0].Message);
        Assert.DoesNotContain("mine", result.Errors[0].Message, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("before the run", result.Errors[1].Message);
        var (kept, refused) = (store.Counts.Kept, store.Counts.Refused);
        Assert.Equal(
            (1, 1, 1),
            (kept, refused[RefusalReason.OtherInstrumentationKey], refused[RefusalReason.BeforeTheRun])
        );
    }

    [Fact]
    public void Item_type_without_a_table_is_rejected_by_name()
    {
        var result = _store.Ingest(
            Items.Body(Items.Dependency().Replace("RemoteDependencyData", "PageViewData", StringComparison.Ordinal))
        );

        Assert.Contains("PageViewData", Assert.Single(result.Errors).Message);
        Assert.Equal(1, _store.Counts.Refused[RefusalReason.UnknownType]);
    }

    [Theory]
    [InlineData("", 1)]
    [InlineData("\"sampleRate\":100,", 1)]
    [InlineData("\"sampleRate\":33.333333,", 3)]
    [InlineData("\"sampleRate\":34.5,", 3)]
    [InlineData("\"sampleRate\":0,", 1)]
    public void Sampled_item_counts_for_those_left_out(string sampling, long count)
    {
        _store.Ingest(Items.Body(Items.Dependency(more: sampling)));

        Assert.Equal(count, Rows.Of(_store.Snapshot(), "dependencies")[0]["itemCount"]);
    }

    [Theory]
    [InlineData("00:00:00.2499", 249.9, "<250ms")]
    [InlineData("00:00:00.2500", 250.0, "250ms-500ms")]
    [InlineData("00:00:00.9999", 999.9, "500ms-1sec")]
    [InlineData("00:00:01", 1_000.0, "1sec-3sec")]
    [InlineData("00:00:03", 3_000.0, "3sec-7sec")]
    [InlineData("00:00:14.999", 14_999.0, "7sec-15sec")]
    [InlineData("00:00:15", 15_000.0, "15sec-30sec")]
    [InlineData("00:00:59.999", 59_999.0, "30sec-1min")]
    [InlineData("00:01:00", 60_000.0, "1min-2min")]
    [InlineData("00:04:59.999", 299_999.0, "2min-5min")]
    [InlineData("1.00:00:00.0000001", 86_400_000.0001, ">=5min")]
    [InlineData("soon", null, "")]
    public void Duration_is_in_milliseconds_with_the_portals_bucket(string text, double? milliseconds, string bucket)
    {
        _store.Ingest(Items.Body(Items.Dependency().Replace("00:00:00.0100000", text, StringComparison.Ordinal)));

        var row = Rows.Of(_store.Snapshot(), "dependencies")[0];
        Assert.Equal((milliseconds, bucket), ((double?)row["duration"], row["performanceBucket"]));
    }

    [Fact]
    public void Type_may_follow_the_data()
    {
        _store.Ingest(
            Items.Body(
                """{"data":{"baseData":{"name":"late"},"baseType":"EventData"},"time":"2030-01-01T12:00:00+02:00"}"""
            )
        );

        var row = Assert.Single(Rows.Of(_store.Snapshot(), "customEvents"));
        Assert.Equal(("late", Items.Noon.AddHours(-2).UtcDateTime), (row["name"], row["timestamp"]));
    }

    [Fact]
    public void Upload_lists_a_limited_number_of_errors()
    {
        const int Items = 100_000;
        var body = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("1\n", Items)));
        var before = GC.GetAllocatedBytesForCurrentThread();

        var result = _store.Ingest(body);

        Assert.Equal((Items, 0, 100), (result.Received, result.Accepted, result.Errors.Count));
        Assert.Equal(Items, _store.Counts.Refused[RefusalReason.Malformed]);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1 << 20);
    }

    [Fact]
    public void Upload_is_read_up_to_a_limited_number_of_broken_items()
    {
        var broken = string.Concat(Enumerable.Repeat("{1\n", 100_000));

        var result = _store.Ingest(Encoding.UTF8.GetBytes(Items.Dependency("A") + broken + Items.Dependency("B")));

        Assert.Equal((1, 1_001), (result.Accepted, result.Received));
        Assert.Contains("the rest of the upload was skipped", result.Errors[^1].Message);
        Assert.Equal(1_001, _store.Counts.Received);
        Assert.Equal(["A"], Names());
    }

    [Fact]
    public async Task Counts_of_concurrent_uploads_add_up()
    {
        var uploads = Enumerable
            .Range(0, 8)
            .Select(sender =>
                Task.Factory.StartNew(
                    () =>
                    {
                        for (var i = 0; i < 200; i++)
                        {
                            _store.Ingest(
                                Items.Body(Items.Dependency($"{sender}-{i}"), "broken", Items.Dependency("same"))
                            );
                        }
                    },
                    TestContext.Current.CancellationToken,
                    TaskCreationOptions.LongRunning,
                    TaskScheduler.Default
                )
            );
        await Task.WhenAll(uploads);

        var counts = _store.Counts;
        Assert.Equal((4_800L, 3_200L, 1_600L), (counts.Received, counts.Kept, counts.Refused.Values.Sum()));
        Assert.Equal(1_601, Names().Distinct().Count());
    }

    private List<object?> Names() => [.. Rows.Of(_store.Snapshot(), "dependencies").Select(row => row["name"])];
}
