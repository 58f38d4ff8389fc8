using System.Globalization;
using DroneDelivery.Lab.Measure;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>What a viewer asks to see.</summary>
/// <param name="Let">Values of let statements of <c>browse.kql</c>.</param>
/// <param name="Slowest">Whether the longest come first, and not the newest.</param>
/// <param name="Page">From 0.</param>
internal sealed record BrowseFilter(IReadOnlyDictionary<string, object> Let, bool Slowest, int Page)
{
    public const int RowsOfPage = 100, Pages = 10;

    /// <summary>Parameter → the let statement that it sets.</summary>
    private static readonly Dictionary<string, string> Texts = new()
    {
        ["list"] = "chosen",
        ["service"] = "service",
        ["name"] = "named",
        ["code"] = "code",
        ["outcome"] = "outcome",
        ["text"] = "words",
    };

    private static readonly string[] Others = ["order", "over", "from", "to", "page"];

    private static readonly Dictionary<string, string[]> Choices = new()
    {
        ["list"] = ["failures", "requests", "calls", "deliveries", "logs"],
        ["outcome"] = ["", "failed", "succeeded"],
        ["order"] = ["", "newest", "slowest"],
    };

    private const int LongestText = 200;

    /// <param name="now">Where the list ends, unless the request says.</param>
    /// <param name="mistakes">Parameter → what is wrong with it.</param>
    /// <returns>Null where anything is wrong.</returns>
    public static BrowseFilter? Read(IQueryCollection query, DateTimeOffset now, out Dictionary<string, string[]> mistakes)
    {
        var asked = new Asked(query, []);
        foreach (var name in query.Keys.Where(name => !Texts.ContainsKey(name) && !Others.Contains(name)))
            asked.Mistakes[name] = ["There is no such filter."];
        var let = Texts.ToDictionary(text => text.Value, text => (object)asked.Text(text.Key, text.Key == "list" ? "failures" : ""));
        let["over"] = asked.Number("over", 1e9);
        let["start"] = asked.Time("from", DateTimeOffset.UnixEpoch);
        let["end"] = asked.Time("to", now);
        var (order, page) = (asked.Text("order", ""), (int)asked.Number("page", Pages - 1));
        mistakes = asked.Mistakes;
        return mistakes.Count == 0 ? new(let, order == "slowest", page) : null;
    }

    public string Query()
    {
        var text = QueryFile.Text("browse");
        return Slowest ? text.Replace("by timestamp desc", "by duration desc", StringComparison.Ordinal) : text;
    }

    /// <summary>The same to be read and pasted, with its values.</summary>
    public string Text() => LetText.With(Query(), Let).Trim();

    /// <summary>The parameters of a request, each read as what it has to be.</summary>
    /// <param name="Mistakes">Parameter → what is wrong with it.</param>
    private sealed record Asked(IQueryCollection Query, Dictionary<string, string[]> Mistakes)
    {
        public string Text(string name, string otherwise)
        {
            var text = Query[name] is [{ Length: > 0 } one] ? one : otherwise;
            if (Query[name].Count > 1 || text.Length > LongestText || text.Any(char.IsControl))
                Mistakes[name] = [$"One text of at most {LongestText} characters in one line is expected."];
            else if (Choices.TryGetValue(name, out var choices) && !choices.Contains(text))
                Mistakes[name] = [$"Expected is one of: {string.Join(", ", choices.Where(choice => choice.Length > 0))}."];
            return text;
        }

        public double Number(string name, double most)
        {
            var text = Text(name, "0");
            if (double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var number) && number <= most)
                return number;
            Mistakes[name] = [$"A number from 0 to {most:0} is expected."];
            return 0;
        }

        public DateTimeOffset Time(string name, DateTimeOffset otherwise)
        {
            const DateTimeStyles Utc = DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal;
            var text = Text(name, "");
            if (text.Length == 0)
                return otherwise;
            if (DateTimeOffset.TryParseExact(text, "yyyy-MM-ddTHH:mm:ss.fff'Z'", CultureInfo.InvariantCulture, Utc, out var time))
                return time;
            Mistakes[name] = ["A time such as 2030-01-31T12:00:00.000Z is expected."];
            return otherwise;
        }
    }
}
