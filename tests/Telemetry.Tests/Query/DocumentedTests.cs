using System.Text;
using System.Text.Encodings.Web;
using DroneDelivery.Testing;

namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>
/// The results in Azure's documentation for each function and operator, from <c>documented.txt</c>. A line that starts
/// with ~ is a known difference. Remove the mark when the difference is gone.
/// </summary>
public sealed class DocumentedTests
{
    private static readonly string[] Sources = ["datatable(", "print ", "range ", "union "];

    private static readonly TelemetrySnapshot Nothing = new([]);

    private static readonly IReadOnlyList<string> All =
    [
        .. File.ReadLines(Path.Combine(Repository.Root, "tests", "Telemetry.Tests", "Query", "documented.txt"))
            .Where(line => line.Contains(" => ", StringComparison.Ordinal) && !line.StartsWith('#')),
    ];

    public static TheoryData<string> Lines => [.. All];

    [Theory, MemberData(nameof(Lines))]
    public void Result_matches_the_documentation_unless_marked(string line)
    {
        var (asked, expected) = line.TrimStart('~').Split(" => ") is [var before, var after]
            ? (before, after)
            : (line, "");

        if (line.StartsWith('~'))
        {
            Assert.NotEqual(
                expected,
                Record.Exception(() => Answer(asked)) is { } refused ? refused.Message : Answer(asked)
            );
        }
        else
        {
            Assert.Equal(expected, Answer(asked));
        }
    }

    private static string Answer(string asked)
    {
        var isQuery = Sources.Any(source => asked.StartsWith(source, StringComparison.Ordinal));
        var answer = KqlQuery
            .Parse(isQuery ? asked : $"print {asked}")
            .Run(Nothing, cancellationToken: TestContext.Current.CancellationToken);
        using var text = new MemoryStream();
        using (var json = new Utf8JsonWriter(text, new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
        {
            json.WriteStartArray();
            for (var row = 0; row < answer.Rows; row++)
            {
                json.WriteStartArray();
                for (var column = 0; column < answer.Columns.Count; column++)
                    answer.WriteCell(json, row, column);
                json.WriteEndArray();
            }
            json.WriteEndArray();
        }
        var rows = Encoding.UTF8.GetString(text.ToArray());
        return isQuery ? rows : rows[2..^2]; // The only cell.
    }
}
