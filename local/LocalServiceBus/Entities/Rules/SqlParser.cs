using static DroneDelivery.LocalServiceBus.Entities.Rules.SqlOperators;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>
/// Reads the SQL of filters and actions. The grammar, weakest first:
/// <code>
///   predicate  = both { OR both }            both = negated { AND negated }         negated = [ NOT ] test
///   test       = EXISTS ( property ) | ( predicate ) | sum comparison
///   comparison = ( = | &lt;&gt; | != | &lt; | &lt;= | &gt; | &gt;= ) sum | IS [ NOT ] NULL
///              | [ NOT ] IN ( sum { , sum } ) | [ NOT ] LIKE sum [ ESCAPE 'c' ]
///   sum        = product { ( + | - ) product }          product = factor { ( * | / | % ) factor }
///   factor     = ( + | - ) factor | constant | NULL | @parameter | newid() | property | ( sum )
///              | property ( sum ) | p ( sum )
///   property   = [ sys . | user . ] name     name = word | [name] | "name"
///   action     = statement { ( ; | , ) statement }      statement = SET property = sum | REMOVE property
/// </code>
/// Keywords and property names have no case.
/// </summary>
internal sealed class SqlParser
{
    /// <summary>Characters of a filter or an action.</summary>
    public const int Longest = 1024;

    // Each level costs some stack frames, here and at every message.
    private const int Deepest = 32;

    private readonly List<SqlToken> _tokens;
    private readonly IReadOnlyDictionary<string, object?> _parameters;
    private int _at;
    private int _depth;

    private SqlParser(string text, IReadOnlyDictionary<string, object?>? parameters)
    {
        if (text.Length > Longest)
            throw new SqlException($"an expression has at most {Longest} characters", Longest + 1);
        _tokens = SqlTokens.Of(text);
        _parameters = parameters ?? new Dictionary<string, object?>();
    }

    private SqlToken Current => _tokens[_at];

    /// <exception cref="SqlException">It is none; the message says where and why.</exception>
    public static SqlPredicate Filter(string text, IReadOnlyDictionary<string, object?>? parameters = null)
    {
        var parser = new SqlParser(text, parameters);
        var predicate = parser.Predicate();
        parser.Expect(SqlTokens.End);
        return predicate;
    }

    /// <exception cref="SqlException">It is none; the message says where and why.</exception>
    public static IReadOnlyList<SqlStatement> Action(string text, IReadOnlyDictionary<string, object?>? parameters = null)
    {
        var parser = new SqlParser(text, parameters);
        var statements = new List<SqlStatement> { parser.Statement() };
        while (parser.Take(";") || parser.Take(","))
        {
            if (parser.Current.Kind != SqlTokenKind.End)
                statements.Add(parser.Statement());
        }
        parser.Expect(SqlTokens.End);
        return statements;
    }

    private SqlStatement Statement()
    {
        if (!Current.Is("SET") && !Current.Is("REMOVE"))
            throw Unexpected("SET or REMOVE");
        var removes = _tokens[_at++].Is("REMOVE");
        var position = Current.Position;
        var property = Property();
        if (property.IsSystem && (removes || !SystemProperty.Settable.Contains(property.Name)))
            throw new SqlException($"an action cannot {(removes ? "remove" : "set")} sys.{property.Name}", position);
        if (removes)
            return new SqlStatement(property, null);
        Expect("=");
        return new SqlStatement(property, Sum());
    }

    private SqlPredicate Predicate()
    {
        Descend();
        var left = Both();
        while (Take("OR"))
            left = Or(left, Both());
        _depth--;
        return left;
    }

    private SqlPredicate Both()
    {
        var left = Negated();
        while (Take("AND"))
            left = And(left, Negated());
        return left;
    }

    private SqlPredicate Negated()
    {
        if (!Take("NOT"))
            return Test();
        Descend();
        var operand = Negated();
        _depth--;
        return message => !operand(message);
    }

    private SqlPredicate Test()
    {
        if (IsCall("EXISTS"))
            return Called(Property).Exists;
        // What a parenthesis begins shows only behind it: ( a + b ) > c, or ( a > b ) OR c.
        if (!Current.Is("(") || IsComparedBehindParentheses())
            return Comparison();
        _at++;
        return Closed(Predicate);
    }

    private bool IsCall(string function) => Current.Is(function) && _tokens[_at + 1].Is("(");

    private T Called<T>(Func<T> argument)
    {
        _at += 2;
        return Closed(argument);
    }

    private T Closed<T>(Func<T> content)
    {
        var read = content();
        Expect(")");
        return read;
    }

    private bool IsComparedBehindParentheses()
    {
        var open = 0;
        for (var i = _at; i < _tokens.Count; i++)
        {
            open += _tokens[i].Is("(") ? 1 : _tokens[i].Is(")") ? -1 : 0;
            if (open == 0)
                return Comparing.Any(_tokens[i + 1].Is);
        }
        return false;
    }

    private static readonly string[] Comparing =
        ["=", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "IS", "IN", "LIKE", "NOT"];

    private SqlPredicate Comparison()
    {
        var left = Sum();
        if (Current.Text is "=" or "<>" or "!=" or "<" or "<=" or ">" or ">=" && Current.Kind == SqlTokenKind.Sign)
            return Compare(_tokens[_at++].Text, left, Sum());
        if (Take("IS"))
        {
            var isNot = Take("NOT");
            Expect("NULL");
            return message => left(message) is null != isNot;
        }
        var negated = Take("NOT");
        SqlPredicate predicate = Take("IN") ? In(left, List())
            : Take("LIKE") ? new SqlLike(left, Sum(), Take("ESCAPE") ? Escape() : null).Test
            : throw Unexpected(negated ? "IN or LIKE" : "a comparison");
        return negated ? message => !predicate(message) : predicate;
    }

    private List<SqlExpression> List()
    {
        Expect("(");
        var values = new List<SqlExpression>();
        do
            values.Add(Sum());
        while (Take(","));
        Expect(")");
        return values;
    }

    private char Escape()
    {
        if (Current is not { Kind: SqlTokenKind.Constant, Value: string { Length: 1 } escape })
            throw Unexpected("a string of one character");
        _at++;
        return escape[0];
    }

    private SqlExpression Sum()
    {
        Descend();
        var left = Product();
        while (Current.Is("+") || Current.Is("-"))
            left = Calculate(_tokens[_at++].Text[0], left, Product());
        _depth--;
        return left;
    }

    private SqlExpression Product()
    {
        var left = Factor();
        while (Current.Is("*") || Current.Is("/") || Current.Is("%"))
            left = Calculate(_tokens[_at++].Text[0], left, Factor());
        return left;
    }

    private SqlExpression Factor()
    {
        if (Current.Is("+") || Current.Is("-"))
            return Signed();
        if (Take("("))
            return Closed(Sum);
        if (Current.Is("@"))
            return Parameter();
        if (Current.Kind == SqlTokenKind.Constant)
            return Constant(_tokens[_at++].Value);
        if (Take("NULL"))
            return Constant(null);
        if (IsCall("newid"))
            return Called<SqlExpression>(() => _ => Guid.NewGuid());
        if (!IsCall("property") && !IsCall("p"))
            return Property().Evaluate;
        var name = Called(Sum);
        return message => SqlProperty.Evaluate(name(message), message);
    }

    private SqlExpression Signed()
    {
        Descend();
        var isNegative = _tokens[_at++].Text == "-";
        var operand = Factor();
        _depth--;
        return isNegative ? Calculate('-', Constant(0L), operand) : operand;
    }

    private SqlExpression Parameter()
    {
        var token = _tokens[_at++];
        var name = "@" + Name();
        return _parameters.TryGetValue(name, out var value)
            ? Constant(SqlValue.Of(value))
            : throw new SqlException($"the parameter {Excerpt.Of(name)} has no value", token.Position);
    }

    private SqlProperty Property()
    {
        var start = Current;
        var name = Name();
        if (!Take("."))
            return new SqlProperty(false, name);
        if (start.Is("user"))
            return new SqlProperty(false, Name());
        if (!start.Is("sys"))
            throw new SqlException($"'{Excerpt.Of(name)}' is neither sys nor user", start.Position);
        var position = Current.Position;
        var written = Name();
        return SystemProperty.Find(written) is { } known
            ? new SqlProperty(true, known)
            : throw new SqlException(
                $"there is no property sys.{Excerpt.Of(written)}, but {string.Join(", ", SystemProperty.Names)}", position);
    }

    private static readonly HashSet<string> Keywords = new(
        ["AND", "OR", "NOT", "IS", "NULL", "IN", "LIKE", "ESCAPE", "EXISTS", "SET", "REMOVE"],
        StringComparer.OrdinalIgnoreCase);

    private string Name()
    {
        var token = Current;
        if (token.Kind != SqlTokenKind.Name && (token.Kind != SqlTokenKind.Word || Keywords.Contains(token.Text)))
            throw Unexpected("a value or the name of a property");
        _at++;
        return token.Text;
    }

    private bool Take(string word)
    {
        if (!Current.Is(word))
            return false;
        _at++;
        return true;
    }

    private void Expect(string word)
    {
        if (!Take(word))
            throw Unexpected(word);
    }

    private void Descend()
    {
        if (++_depth > Deepest)
            throw new SqlException($"more than {Deepest} levels of nesting", Current.Position);
    }

    private SqlException Unexpected(string expected)
    {
        var found = Current.Kind == SqlTokenKind.End ? Current.Text : $"'{Excerpt.Of(Current.Text)}'";
        return new($"{expected} is expected, and not {found}", Current.Position);
    }
}
