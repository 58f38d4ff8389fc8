using System.Text.Encodings.Web;

namespace DroneDelivery.Telemetry.Tests.Kusto;

/// <summary>The files that run in Application Insights, as a workspace takes them.
/// tests/kusto binds them to the workspace's tables.</summary>
public sealed class KustoWorkspaceTests
{
    private const string FileName = "workspace.json";

    private static readonly JsonSerializerOptions Readable =
        new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, WriteIndented = true };

    [Fact]
    public void The_translated_files_are_those_that_Azure_s_parser_is_shown() => Assert.Equal(Text(), KustoFiles.Read(FileName));

    [Fact(Explicit = true)]
    public void Write_them_anew() => KustoFiles.Write(FileName, Text());

    private static string Text()
    {
        var forms = QueryTexts.OfApplicationInsights.ToDictionary(
            query => query.Key, query => WorkspaceForm.Of(query.Value).Split('\n'));
        return JsonSerializer.Serialize(forms, Readable) + "\n";
    }
}
