using System.Text.Encodings.Web;
using DroneDelivery.Testing;

namespace DroneDelivery.Telemetry.Tests.Kusto;

/// <summary>The files that tests/kusto passes to Azure's parser match the tables and results of the engine.</summary>
public sealed class KustoFileTests
{
    private static readonly JsonSerializerOptions Readable = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        WriteIndented = true,
    };

    /// <summary>
    /// tables.json: the engine's tables. workspace.json: the queries of Application Insights in the form for a
    /// workspace.
    /// </summary>
    public static TheoryData<string> Written => ["tables.json", "workspace.json"];

    [Theory, MemberData(nameof(Written))]
    public void Files_for_Azures_parser_match_the_engine(string file) =>
        Assert.Equal(Text(file), File.ReadAllText(PathOf(file)));

    [Theory(Explicit = true), MemberData(nameof(Written))]
    public void Write_files_for_Azures_parser(string file) => File.WriteAllText(PathOf(file), Text(file));

    /// <summary>
    /// Azure's parser accepts the queries that are accepted or only unsupported here, and rejects the others.
    /// </summary>
    [Fact]
    public void Results_of_the_engine_match_those_for_Azures_parser()
    {
        var shown = JsonSerializer.Deserialize<string[][]>(File.ReadAllText(PathOf("verdicts.json")))!;
        var store = new TelemetryStore();
        foreach (var table in SampleTables.All)
            store.Define(table);
        var tables = store.Snapshot();

        Assert.Equal(shown, shown.Select(it => new[] { VerdictOn(it[1], tables), it[1] }));
    }

    private static string VerdictOn(string query, TelemetrySnapshot tables)
    {
        try
        {
            KqlQuery.Parse(query).Run(tables, cancellationToken: TestContext.Current.CancellationToken);
            return "taken";
        }
        catch (KqlException exception)
        {
            return exception.Message.Contains("not supported", StringComparison.Ordinal)
                ? "not supported here"
                : "refused";
        }
    }

    private static string Text(string file) =>
        file == "tables.json"
            ? "{\n" + string.Join(",\n", KnownTables.All.Concat(SampleTables.All).Select(Line)) + "\n}\n"
            : JsonSerializer.Serialize(Workspace(), Readable) + "\n";

    private static string Line(TableSchema table)
    {
        var columns = string.Join(", ", table.Columns.Select(column => $"{column.Name}:{column.Type.KqlName()}"));
        return $"  {JsonSerializer.Serialize(table.Name)}: {JsonSerializer.Serialize(columns)}";
    }

    private static Dictionary<string, string[]> Workspace() =>
        QueryTexts.OfApplicationInsights.ToDictionary(
            query => query.Key,
            query => WorkspaceForm.Of(query.Value).Split('\n')
        );

    private static string PathOf(string file) => Path.Combine(Repository.Root, "tests", "kusto", file);
}
