# Reports all missing prerequisites before anything is created. azd runs it on Windows before `azd provision` (elsewhere, preflight).
$problems = [System.Collections.Generic.List[string]]::new()
function Test-Installed($name) { [bool](Get-Command $name -ErrorAction SilentlyContinue) }
function Confirm-Installed($name, $hint) { if (-not (Test-Installed $name)) { $problems.Add("$name is not installed: $hint") } }
function Confirm-AtLeast($name, $version, $oldest) {
    if ("$version" -notmatch '^(\d+)\.(\d+)') { $problems.Add("${name}: cannot read its version from '$version'"); return }
    if ([version]$Matches[0] -lt [version]$oldest) { $problems.Add("$name $version is too old: $oldest or later") }
}

Confirm-Installed az 'https://learn.microsoft.com/cli/azure/install-azure-cli'
Confirm-Installed bash 'it runs infra/connect; Git for Windows contains it'
if ((Test-Installed bash) -and "$(bash -c 'uname -s' 2> $null)" -notmatch 'MINGW|MSYS') { $problems.Add('bash belongs to WSL: run azd in Git Bash') }
Confirm-Installed dotnet 'the .NET 10 SDK, https://dotnet.microsoft.com/download'
Confirm-Installed helm 'https://helm.sh/docs/intro/install'
Confirm-Installed kubectl 'https://kubernetes.io/docs/tasks/tools'
Confirm-Installed kubelogin 'https://azure.github.io/kubelogin/install.html'
Confirm-Installed openssl 'it creates the key of status URLs; Git for Windows contains it'
Confirm-Installed skaffold 'https://skaffold.dev/docs/install'
$engine = if ($env:DOCKER_COMMAND) { $env:DOCKER_COMMAND } else { 'docker' }
Confirm-Installed $engine 'az acr login stores its credentials there'

if (Test-Installed helm) { Confirm-AtLeast helm "$(helm version --template '{{.Version}}')".TrimStart('v') '4.0' }
if (Test-Installed skaffold) { Confirm-AtLeast skaffold "$(skaffold version)".TrimStart('v') '2.19' }
if (Test-Installed dotnet) { Confirm-AtLeast dotnet (dotnet --version) '10.0' }
if (Test-Installed az) { Confirm-AtLeast az ((az version --output json | ConvertFrom-Json).'azure-cli') '2.86' }
if (Test-Installed $engine) {
    & $engine info *> $null
    if ($LASTEXITCODE -ne 0) { $problems.Add("$engine is not running") }
}
if (Test-Installed az) {
    az account show --output none 2> $null
    if ($LASTEXITCODE -ne 0) { $problems.Add('az is not logged in: az login') }
    # azd down removes the group with everything in it.
    if ($env:AZURE_SUBSCRIPTION_ID) {
        $tag = az group show --name "$env:AZURE_ENV_NAME" --subscription "$env:AZURE_SUBSCRIPTION_ID" --query "tags.\`"azd-env-name\`"" --output tsv 2> $null
        if ($LASTEXITCODE -eq 0 -and "$tag" -ne "$env:AZURE_ENV_NAME") {
            $problems.Add("the resource group $env:AZURE_ENV_NAME exists and is not one of azd: choose another name (azd env new NAME)")
        }
    }
}

if ($problems.Count -gt 0) {
    $problems | ForEach-Object { Write-Host "- $_" }
    Write-Host "$($problems.Count) missing; nothing was created."
    exit 1
}
# The first month of a budget can't be changed, and that of a new budget can't be in the past. Another machine may have created the budget.
# `az consumption` uses an API version that can't read budgets with a filter.
if (Test-Installed azd) {
    $month = Get-Date -AsUTC -Format 'yyyy-MM-01'
    $subscriptionBudgets = "https://management.azure.com/subscriptions/$env:AZURE_SUBSCRIPTION_ID/providers/Microsoft.Consumption/budgets?api-version=2023-11-01"
    $start = if ($env:BUDGET_START) { $env:BUDGET_START } else { $month }
    $existing = az rest --method get --url $subscriptionBudgets --query "value[?name=='$env:AZURE_ENV_NAME'].properties.timePeriod.startDate" --output tsv 2> $null
    if ($LASTEXITCODE -eq 0) { $start = if ($existing) { "$existing".Substring(0, 10) } else { $month } }
    if ($start -ne $env:BUDGET_START) { azd env set BUDGET_START $start }
}
