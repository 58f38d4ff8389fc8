using System.Text;
using System.Text.RegularExpressions;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Converts a query for Application Insights tables (<c>requests</c>, <c>timestamp</c>) to the names of a
/// workspace-based resource in Log Analytics (<c>AppRequests</c>, <c>TimeGenerated</c>).</summary>
/// <remarks>Source: "Workspace-based resource changes" in the documentation of Azure Monitor.</remarks>
public sealed partial class WorkspaceForm
{
    private static readonly TableSchema AnyOfSeveral = new("", []);

    private readonly QueryText _text;
    private readonly List<Token> _tokens;
    private readonly HashSet<string> _defined;
    private readonly Dictionary<string, TableSchema?> _lets = [];

    // The current table inside each open parenthesis.
    private readonly Stack<TableSchema?> _sources = new([null]);
    private readonly StringBuilder _result = new();

    private WorkspaceForm(string text)
    {
        _text = new(text);
        _tokens = Lexer.Read(_text);
        _defined = [.. _tokens.Zip(_tokens.Skip(1)).Where(pair => pair.Second.Is("=")).Select(pair => pair.First.Text)];
    }

    /// <exception cref="KqlException">The query is invalid, or uses a table or column that workspaces don't
    /// have.</exception>
    public static string Of(string text)
    {
        Parser.Parse(new(text));
        return new WorkspaceForm(text).Translate();
    }

    private string Translate()
    {
        var end = 0;
        var let = (string?)null;
        for (var i = 0; i < _tokens.Count; i++)
        {
            var token = _tokens[i];
            if (token.Is("let"))
                let = _tokens[i + 1].Text;
            else if (token.Is("("))
                _sources.Push(_sources.Peek());
            else if (token.Is(")") && _sources.Count > 1)
                _sources.Pop();
            else if (token.Is(";"))
                EndStatement(ref let);
            if (token.Kind != TokenKind.Word || NameOf(i) is not { } name)
                continue;
            _result.Append(_text.Text, end, token.At - end).Append(name);
            end = token.At + token.Text.Length;
        }

        return _result.Append(_text.Text, end, _text.Text.Length - end).ToString();
    }

    private void EndStatement(ref string? let)
    {
        if (let is not null)
            _lets[let] = _sources.Peek();
        let = null;
        _sources.Pop();
        _sources.Push(null);
    }

    private string? NameOf(int index)
    {
        var word = _tokens[index];
        var next = _tokens[Math.Min(index + 1, _tokens.Count - 1)];
        if (next.Is("(") || IsMember(index))
            return null;
        if (!next.Is("=") && SourceOf(word, _tokens[Math.Max(0, index - 1)]) is { } source)
            return source;
        return ColumnOf(word);
    }

    // customDimensions.name isn't a column, but $left.name is.
    private bool IsMember(int index) =>
        index > 1 && _tokens[index - 1].Is(".") && _tokens[index - 2].Text is not ("$left" or "$right");

    private string? SourceOf(Token word, Token before)
    {
        if (_lets.TryGetValue(word.Text, out var of))
        {
            if (of is not null)
                SetSource(of, before);
            return word.Text;
        }

        if (SampleTables.All.Any(table => table.Name == word.Text))
        {
            throw _text.Error(
                word.At,
                $"'{word.Text}' is a table of the lab, which does not exist in Azure.",
                "Run it in the lab: ./lab query."
            );
        }

        if (KnownTables.All.FirstOrDefault(table => table.Name == word.Text) is not { } known)
            return null;
        SetSource(known, before);
        return WorkspaceNames.Tables[known.Name];
    }

    // A joined table keeps the names of the previous one; those of a union share them.
    private void SetSource(TableSchema table, Token before)
    {
        var known = before.Is("(") ? null : _sources.Peek();
        _sources.Pop();
        _sources.Push(
            known is null || known == table ? table
            : before.Is(",") ? AnyOfSeveral
            : known
        );
    }

    private string? ColumnOf(Token word)
    {
        if (_lets.ContainsKey(word.Text) || Derived().Match(word.Text) is not { Success: true } match)
            return null;
        var before = match.Groups["before"].Value;
        var column = match.Groups["column"].Value;
        var after = match.Groups["after"].Value;
        var names = Candidates(column).Select(table => WorkspaceNames.ColumnOf(table, column)).Distinct().ToList();
        // A name that the query defines, and no current table has.
        if (names.Count == 0 || (names is not [not null] && _defined.Contains(column)))
            return null;
        if (names.Count > 1)
        {
            throw _text.Error(
                word.At,
                $"'{column}' is {string.Join(" or ", names)} in a workspace.",
                "Rename it with project, where its table is known."
            );
        }
        return names[0] is { } name
            ? before + name + after
            : throw _text.Error(word.At, $"'{column}' has no counterpart in a workspace.", "Leave it out.");
    }

    private IEnumerable<TableSchema> Candidates(string column) =>
        (_sources.Peek() is { } table && table.IndexOf(column) >= 0 ? [table] : KnownTables.All).Where(each =>
            each.IndexOf(column) >= 0
        );

    // A column, or its name in summarize and join: avg_duration, percentile_duration_95, timestamp1.
    [GeneratedRegex(
        "^(?<before>(?:(?:sum|avg|min|max|stdev|dcount|list|set|any|percentile)(?:if)?_)?)"
            + "(?<column>[A-Za-z]+(?:_[A-Z][A-Za-z]*)?)"
            + "(?<after>(?:_[0-9]+)*[0-9]*)$",
        RegexOptions.ExplicitCapture
    )]
    private static partial Regex Derived();
}
