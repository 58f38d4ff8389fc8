using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal sealed class JoinBinder(Scope scope, QueryBinder queries)
{
    private static readonly string[] OtherKinds =
    [
        "innerunique", "rightouter", "fullouter", "leftanti", "anti", "leftantisemi", "rightanti", "rightantisemi", "leftsemi",
        "rightsemi",
    ];

    public Plan Bind(JoinOperator join, Plan left)
    {
        var outer = IsOuter(join);
        var right = queries.BindTable(join.Right);
        var (leftKeys, rightKeys) = (new List<Scalar>(), new List<Scalar>());
        foreach (var condition in join.On)
        {
            var (a, b) = BindCondition(condition, left, right);
            leftKeys.Add(a);
            rightKeys.Add(b);
        }
        var names = new ColumnNames(scope.Text);
        foreach (var column in left.Columns.Concat(right.Columns)) names.AddDerived(column.Name, column.Type);
        return new JoinPlan(left, right, leftKeys, rightKeys, outer, names.Columns);
    }

    private bool IsOuter(JoinOperator join) => join.Kind switch
    {
        "inner" => false,
        "leftouter" => true,
        null => throw scope.Text.Error(
            join.At,
            "join without a kind leaves out repeated rows of the left side, which is not supported.",
            "Write join kind=inner or join kind=leftouter."),
        var kind when OtherKinds.Contains(kind) =>
            throw scope.Text.Error(join.At, $"join kind={kind} is not supported.", "Write kind=inner or kind=leftouter."),
        var kind => throw scope.Text.Error(
            join.At,
            $"'{kind}' is not a kind of join.",
            Similar.Hint(kind, ["inner", "leftouter"]) ?? "Write kind=inner or kind=leftouter."),
    };

    private (Scalar Left, Scalar Right) BindCondition(Expression condition, Plan left, Plan right)
    {
        var (a, b) = condition switch
        {
            Name name => (name, name),
            Binary
            {
                Operator: "==",
                Left: Member { Target: Name { Text: "$left" } } l,
                Right: Member { Target: Name { Text: "$right" } } r
            } => (Key(l), Key(r)),
            Binary
            {
                Operator: "==",
                Left: Member { Target: Name { Text: "$right" } } r,
                Right: Member { Target: Name { Text: "$left" } } l
            } => (Key(l), Key(r)),
            _ => throw scope.Text.Error(condition.At, "tables are joined on columns.", "Write on NAME, or on $left.a == $right.b."),
        };
        var (leftKey, rightKey) = (Bind(a, left), Bind(b, right));
        if (leftKey.Type == rightKey.Type && leftKey.Type != ColumnType.Dynamic) return (leftKey, rightKey);
        if (Conversions.Cost(leftKey.Type, rightKey.Type) is not null) leftKey = Conversions.Convert(leftKey, rightKey.Type);
        else if (Conversions.Cost(rightKey.Type, leftKey.Type) is not null) rightKey = Conversions.Convert(rightKey, leftKey.Type);
        else
            throw scope.Text.Error(
                condition.At,
                $"'{a.Text}' is {leftKey.Type.KqlName()} and '{b.Text}' is {rightKey.Type.KqlName()}.",
                "Convert one of them with extend before the join.");
        return leftKey.Type != ColumnType.Dynamic ? (leftKey, rightKey)
            : throw scope.Text.Error(
                condition.At, $"'{a.Text}' is dynamic and cannot be compared.", "Extend both sides with tostring(…) first.");
    }

    private static Name Key(Member member) => new(member.At, member.Key);

    private Scalar Bind(Name name, Plan side) => new ExpressionBinder(scope, side.Columns, queries).Bind(name);
}
