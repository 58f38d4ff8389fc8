using System.Text.Encodings.Web;

namespace DroneDelivery.Telemetry.Tests.Kusto;

/// <summary>
/// What the engine says to queries of a generator. tests/kusto holds Azure's parser against it: that one takes what is taken or only not
/// supported here, and refuses what is refused.
/// </summary>
public sealed class KustoQueryFileTests
{
    private const string FileName = "verdicts.json", Taken = "taken", Refused = "refused", Unsupported = "not supported here";
    private const int Seed = 2030;

    private static readonly JsonSerializerOptions Readable = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    [Fact]
    public void The_engine_s_verdicts_are_those_that_Azure_s_parser_is_shown() => Assert.Equal(Text(), KustoFiles.Read(FileName));

    [Fact(Explicit = true)]
    public void Write_them_anew() => KustoFiles.Write(FileName, Text());

    private static string Text()
    {
        var random = new RandomQueries(Seed);
        var tables = Tables();
        var queries = Enumerable.Range(0, 240)
            .Select(i => i % 10 == 9 ? random.Unsupported() : i % 2 == 0 ? random.Right() : random.Wrong());
        var lines = queries.Select(query => $"  {JsonSerializer.Serialize(new[] { VerdictOn(query, tables), query }, Readable)}");
        return "[\n" + string.Join(",\n", lines) + "\n]\n";
    }

    private static string VerdictOn(string query, TelemetrySnapshot tables)
    {
        try
        {
            KqlQuery.Parse(query).Run(tables, cancellationToken: TestContext.Current.CancellationToken);
            return Taken;
        }
        catch (KqlException exception)
        {
            return exception.Message.Contains("not supported", StringComparison.Ordinal) ? Unsupported : Refused;
        }
    }

    private static TelemetrySnapshot Tables()
    {
        var store = new TelemetryStore();
        foreach (var table in SampleTables.All)
            store.Define(table);
        return store.Snapshot();
    }
}
