using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Statements and the steps of a query.</summary>
internal sealed class Parser
{
    private const int MaxOperators = 200;

    private readonly TokenStream _tokens;
    private readonly ExpressionParser _expressions;

    private Parser(TokenStream tokens)
    {
        _tokens = tokens;
        _expressions = new(tokens, ParseValueOrQuery);
    }

    public static Script Parse(QueryText text)
    {
        try
        {
            return new Parser(new(text)).ParseScript(text);
        }
        catch (InsufficientExecutionStackException)
        {
            throw text.Error(0, "the query is nested too deeply.", "Split it with let statements.");
        }
    }

    private Script ParseScript(QueryText text)
    {
        var lets = new List<Let>();
        while (_tokens.Current.Is("let")) lets.Add(ParseLet());
        if (_tokens.Current.Kind == TokenKind.End)
            throw _tokens.Unexpected("a query", lets.Count > 0
                ? "The let statements are not used: add a query after the last ';'."
                : "For example: requests | take 10.");
        var query = ParsePipeline();
        _tokens.Accept(";");
        if (_tokens.Current.Kind != TokenKind.End) throw AfterQuery();
        return new(text, lets, query);
    }

    private KqlException AfterQuery() => _tokens.Unexpected("'|' or the end of the query", _tokens.Current switch
    {
        { Kind: TokenKind.Word } word when Keywords.Operators.Contains(word.Text) => $"Put a pipe before it: | {word.Text}.",
        { Text: ")" } => "There is no '(' to it.",
        _ => "Steps are separated by '|', statements by ';'.",
    });

    private Let ParseLet()
    {
        _tokens.Take();
        var name = _tokens.ExpectName("a name after 'let'");
        _tokens.Expect("=", $"after 'let {name.Text}'");
        if (_tokens.Current.Is("(") && _tokens.Next.Is(")"))
            throw _tokens.Error(
                _tokens.Current.At,
                "functions cannot be declared: they are not supported here.",
                "Use let for values and for queries.");
        var value = ParseValueOrQuery();
        _tokens.Expect(";", "at the end of the let statement");
        return new(name.At, name.Text, value);
    }

    private Expression ParseValueOrQuery()
    {
        var at = _tokens.Current.At;
        if (StartsSource()) return new Tabular(at, ParsePipeline());
        var value = _expressions.Parse();
        return _tokens.Current.Is("|") ? new Tabular(at, new(SourceFrom(value), ParseSteps())) : value;
    }

    // "print" and "union" are also good names for a column: only what follows tells.
    private bool StartsSource() => _tokens.Current.Kind == TokenKind.Word && _tokens.Current.Text is "print" or "union"
        && _tokens.Next is { Kind: TokenKind.Word or TokenKind.QuotedName or TokenKind.Literal } or { Text: "(" };

    private Pipeline ParsePipeline() => new(ParseSource(), ParseSteps());

    private Source ParseSource()
    {
        var at = _tokens.Current.At;
        if (_tokens.Current.Is("print")) return ParsePrint();
        if (_tokens.Current.Is("union")) return new UnionSource(at, ParseUnion(_tokens.Take().At));
        if (_tokens.Current.Is("range") || _tokens.Current.Is("datatable") || _tokens.Current.Is("search") || _tokens.Current.Is("find"))
            throw _tokens.Error(
                at, $"'{_tokens.Current.Text}' is not supported.", "Begin with the name of a table, with union or with print.");
        if (_tokens.Next.Is("="))
            throw _tokens.Error(
                _tokens.Next.At,
                "'|' or the end of the query was expected, not '='.",
                "A name is given with let NAME = …; before the query.");
        return SourceFrom(_expressions.Parse());
    }

    private Source SourceFrom(Expression value) => value switch
    {
        Name name => new NamedSource(name.At, name.Text),
        Tabular tabular => new NestedSource(tabular.At, tabular.Pipeline),
        Call call => throw _tokens.Error(call.At, $"'{call.Function}(…)' is not a table.", "Begin with the name of a table."),
        _ => throw _tokens.Error(value.At, "a table was expected here.", "Begin with the name of a table."),
    };

    private PrintSource ParsePrint() => new(_tokens.Take().At, _tokens.List(ParseNamed));

    private List<Operator> ParseSteps()
    {
        var steps = new List<Operator>();
        while (_tokens.Accept("|"))
        {
            if (steps.Count == MaxOperators)
                throw _tokens.Error(
                    _tokens.Current.At, $"a query has at most {MaxOperators} steps.", "Split it with let statements.");
            steps.Add(ParseStep());
        }
        return steps;
    }

    private Operator ParseStep()
    {
        var at = _tokens.Current.At;
        var word = ParseOperatorName();
        return word switch
        {
            "where" or "filter" => new WhereOperator(at, _expressions.Parse()),
            "extend" => new ExtendOperator(at, _tokens.List(ParseNamed)),
            "project" => new ProjectOperator(at, _tokens.List(ParseNamed)),
            "project-away" => new SelectColumnsOperator(at, Keep: false, _tokens.List(ParsePattern)),
            "project-keep" => new SelectColumnsOperator(at, Keep: true, _tokens.List(ParsePattern)),
            "project-rename" => new RenameOperator(at, _tokens.List(ParseNamed)),
            "summarize" => ParseSummarize(at),
            "distinct" => new DistinctOperator(at, _tokens.List(ParseNamed)),
            "count" => new CountOperator(at),
            "take" or "limit" => new TakeOperator(at, _expressions.Parse()),
            "order" or "sort" => ParseSort(at, word),
            "top" => ParseTop(at),
            "join" => ParseJoin(at),
            "union" => ParseUnion(at),
            "render" => ParseRender(at),
            _ => throw UnknownOperator(at, word),
        };
    }

    private string ParseOperatorName()
    {
        var word = _tokens.ExpectWord("an operator after '|'", "For example: | where success == false.").Text;
        while (_tokens.Current.Is("-") && _tokens.Next.Kind == TokenKind.Word && _tokens.NextIsAdjacent
            && word is "project" or "mv" or "make" or "top" or "parse" or "sample" or "graph" or "top-hitters")
        {
            _tokens.Take();
            word += "-" + _tokens.Take().Text;
        }
        return word;
    }

    private KqlException UnknownOperator(int at, string word) => Array.IndexOf(Keywords.UnsupportedOperators, word) >= 0
        ? _tokens.Error(
            at,
            $"the operator '{word}' is not supported.",
            $"Supported are {string.Join(", ", Keywords.Operators.Where(name => name is not "print"))}.")
        : _tokens.Error(
            at,
            $"'{word}' is not an operator.",
            Similar.Hint(word, Keywords.Operators) ?? $"Operators are {string.Join(", ", Keywords.Operators)}.");

    private Named ParseNamed()
    {
        var at = _tokens.Current.At;
        if (_tokens.Current.Kind is not (TokenKind.Word or TokenKind.QuotedName) || !_tokens.Next.Is("="))
            return new(at, null, _expressions.Parse());
        var name = _tokens.ExpectName("a name").Text;
        _tokens.Take();
        return new(at, name, _expressions.Parse());
    }

    // "operation_*" comes as a name and a star behind it.
    private (int At, string Text) ParsePattern()
    {
        var at = _tokens.Current.At;
        var text = "";
        do
        {
            if (!_tokens.Current.Is("*") && _tokens.Current.Kind is not (TokenKind.Word or TokenKind.QuotedName))
                throw _tokens.Unexpected("a column name");
            var adjacent = _tokens.NextIsAdjacent;
            text += ReservedNames.Refuse(_tokens.Take(), _tokens).Text;
            if (!adjacent) break;
        }
        while (_tokens.Current.Is("*") || _tokens.Current.Kind == TokenKind.Word);
        return (at, text);
    }

    private SummarizeOperator ParseSummarize(int at)
    {
        List<Named> aggregates = _tokens.Current.Is("by") ? [] : _tokens.List(ParseNamed);
        return new(at, aggregates, _tokens.Accept("by") ? _tokens.List(ParseNamed) : []);
    }

    private SortOperator ParseSort(int at, string word)
    {
        _tokens.Expect("by", $"after '{word}'");
        return new(at, _tokens.List(ParseSortKey));
    }

    private TopOperator ParseTop(int at)
    {
        var count = _expressions.Parse();
        _tokens.Expect("by", "after the number of rows", "For example: top 10 by duration.");
        return new(at, count, _tokens.List(ParseSortKey));
    }

    private SortKey ParseSortKey()
    {
        var value = _expressions.Parse();
        var ascending = _tokens.Accept("asc");
        if (!ascending) _tokens.Accept("desc");
        if (!_tokens.Accept("nulls")) return new(value, ascending, NullsFirst: ascending);
        if (_tokens.Accept("first")) return new(value, ascending, NullsFirst: true);
        _tokens.Expect("last", "after 'nulls'");
        return new(value, ascending, NullsFirst: false);
    }

    private JoinOperator ParseJoin(int at)
    {
        var kind = ParseOption("kind")?.Text;
        var right = _tokens.Current.Is("(")
            ? _expressions.Parse()
            : new Name(_tokens.Current.At, _tokens.ExpectName("a table or '(' after 'join'").Text);
        _tokens.Expect("on", "after the table to join", "For example: join kind=inner (T) on operation_Id.");
        return new(at, kind, right, _tokens.List(_expressions.Parse));
    }

    private UnionOperator ParseUnion(int at)
    {
        var kind = ParseOption("kind")?.Text;
        var source = ParseOption("withsource") is { } column ? ReservedNames.Refuse(column, _tokens).Text : null;
        kind ??= ParseOption("kind")?.Text;
        if (kind is not (null or "inner" or "outer"))
            throw _tokens.Error(at, $"union has no kind '{kind}'.", "Write kind=inner or kind=outer.");
        return new(at, kind == "inner", source, _tokens.List(ParseUnionTable));
    }

    private Expression ParseUnionTable() =>
        _tokens.Current.Is("(") ? _expressions.Parse() : new Name(_tokens.Current.At, _tokens.ExpectName("a table").Text);

    /// <summary><c>name=word</c>; null when it is not there.</summary>
    private Token? ParseOption(string name)
    {
        if (!_tokens.Current.Is(name) || !_tokens.Next.Is("=")) return null;
        _tokens.Take();
        _tokens.Take();
        return _tokens.ExpectWord($"a word after '{name}='");
    }

    private RenderOperator ParseRender(int at)
    {
        var chart = _tokens.ExpectWord("the kind of chart");
        if (Array.IndexOf(RenderKinds.All, chart.Text) < 0)
            throw _tokens.Error(
                chart.At,
                $"'{chart.Text}' is not a kind of chart.",
                Similar.Hint(chart.Text, RenderKinds.All) ?? $"Kinds are {string.Join(", ", RenderKinds.All)}.");
        var properties = new Dictionary<string, string>();
        if (!_tokens.Accept("with")) return new(at, chart.Text, properties);
        _tokens.Expect("(", "after 'with'");
        foreach (var (name, value) in _tokens.List(ParseProperty)) properties[name] = value;
        _tokens.Expect(")", "after the properties");
        if (_tokens.Current.Is("|")) throw _tokens.Error(_tokens.Current.At, "nothing may follow render.", "Put render at the end.");
        return new(at, chart.Text, properties);
    }

    private (string Name, string Value) ParseProperty()
    {
        var name = _tokens.ExpectWord("the name of a property").Text;
        _tokens.Expect("=", $"after '{name}'");
        var value = _tokens.Take();
        return (name, value is { Kind: TokenKind.Literal, Type: ColumnType.String, Value: string text } ? text : value.Text);
    }
}

internal static class RenderKinds
{
    public static readonly string[] All =
    [
        "anomalychart", "areachart", "barchart", "card", "columnchart", "linechart", "piechart", "scatterchart", "stackedareachart",
        "table", "timechart",
    ];
}
