using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>
/// The Azure workbook contains the queries of the query files, with the time range that its reader selects. tests/kusto
/// parses it, too.
/// </summary>
public sealed class WorkbookTests
{
    public static TheoryData<string> Names => [.. Queries().Keys];

    [Theory, MemberData(nameof(Names))]
    public void Workbook_item_equals_its_query_file(string name)
    {
        var (question, query) = Queries()[name];
        var file = QueryTexts.OfApplicationInsights[name].Trim();

        Assert.Equal(KqlQuery.Parse(file).Question, question);
        Assert.Equal(
            Regex.Replace(file[(file.IndexOf('\n', StringComparison.Ordinal) + 1)..], @"\n\| render \w+$", ""),
            query
                .Replace("datetime({TimeRange:startISO})", "ago(1h)", StringComparison.Ordinal)
                .Replace("datetime({TimeRange:endISO})", "now()", StringComparison.Ordinal)
        );
    }

    private static Dictionary<string, (string Question, string Query)> Queries()
    {
        using var json = JsonDocument.Parse(
            File.ReadAllText(Path.Combine(Repository.Root, "infra", "dashboards", "workbook.json"))
        );
        return json
            .RootElement.GetProperty("items")
            .EnumerateArray()
            .Where(item => item.GetProperty("type").GetInt32() == 3)
            .ToDictionary(
                item => TextOf(item, "name"),
                item =>
                    item.GetProperty("content") is var content
                        ? (TextOf(content, "title"), TextOf(content, "query"))
                        : default
            );
    }

    private static string TextOf(JsonElement item, string property) => item.GetProperty(property).GetString()!;
}
