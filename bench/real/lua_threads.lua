-- What lua_threads.c runs: several small programs of different kinds, whose result depends on the job alone.

local function random_numbers(seed)
  local state = seed * 2654435761 % 4294967296
  return function(limit)
    state = (state * 1664525 + 1013904223) % 4294967296
    return state // 65536 % limit + 1
  end
end

-- Tables and closures: sorting by a function.
local function sorting(random)
  local people = {}
  for i = 1, 200 do people[i] = {name = string.format("%c%04d", 96 + random(26), random(9999)), age = random(90)} end
  table.sort(people, function(a, b)
    if a.age ~= b.age then return a.age < b.age end
    return a.name < b.name
  end)
  local names = {}
  for i = 1, #people, 10 do names[#names + 1] = people[i].name end
  return table.concat(names, " ")
end

-- Strings: patterns and substitution.
local function rewriting(random)
  local words = {}
  for i = 1, 300 do words[i] = string.rep(string.char(96 + random(26)), random(4)) .. random(100) end
  local text = table.concat(words, " ")
  text = text:gsub("(%a+)(%d+)", "%2%1"):gsub("%f[%w](%d)(%d)", function(a, b) return (a + b) .. "-" end)
  local count = 0
  for word in text:gmatch("%S+") do if word:find("^%d+%-[aeiou]") then count = count + 1 end end
  return count .. ":" .. #text
end

-- Objects with metatables.
local Vector = {}
Vector.__index = Vector
Vector.__add = function(a, b) return setmetatable({x = a.x + b.x, y = a.y + b.y}, Vector) end
Vector.__mul = function(a, k) return setmetatable({x = a.x * k, y = a.y * k}, Vector) end
function Vector:length() return math.sqrt(self.x * self.x + self.y * self.y) end

local function objects(random)
  local at, step = setmetatable({x = 0, y = 0}, Vector), setmetatable({x = random(9), y = random(9)}, Vector)
  for _ = 1, 500 do
    at = at + step * 0.5
    if at:length() > 100 then at = at * 0.25 end
  end
  return string.format("%.6f", at:length())
end

-- Coroutines: all ways to put queens on a board.
local function queens(size)
  local function place(row, columns, up, down)
    if row > size then coroutine.yield(table.concat(columns, ",")) return end
    for column = 1, size do
      if not columns[-column] and not up[row + column] and not down[row - column] then
        columns[row], columns[-column], up[row + column], down[row - column] = column, true, true, true
        place(row + 1, columns, up, down)
        columns[row], columns[-column], up[row + column], down[row - column] = nil, nil, nil, nil
      end
    end
  end
  local found, last = 0, ""
  for solution in coroutine.wrap(function() place(1, {}, {}, {}) end) do found, last = found + 1, solution end
  return found .. " " .. last
end

-- A sieve: numbers in an array.
local function primes(limit)
  local composite, count = {}, 0
  for n = 2, limit do
    if not composite[n] then
      count = count + 1
      for m = n * n, limit, n do composite[m] = true end
    end
  end
  return count
end

local function digest(text)
  local sum = 7
  for i = 1, #text do sum = (sum * 31 + text:byte(i)) % 1000000007 end
  return sum
end

function work(job)
  local number = math.tointeger(tonumber(job))
  local random = random_numbers(number)
  local parts = {sorting(random), rewriting(random), objects(random), queens(6), primes(2000 + number % 100)}
  for i, part in ipairs(parts) do parts[i] = shared(tostring(part)) end
  -- A function made from text, as templates do.
  local formula = load(string.format("local x = ... return x * %d + %d", random(100), random(100)))
  parts[#parts + 1] = formula(number)
  return number .. " " .. table.concat(parts, " ")
end

-- In the state that all share: texts that were seen before, and how often.
local seen, distinct, calls = {}, 0, 0
function common(text)
  calls = calls + 1
  if not seen[text] then
    seen[text] = {digest = digest(text), times = 0}
    distinct = distinct + 1
  end
  seen[text].times = seen[text].times + 1
  return tostring(seen[text].digest)
end

local total, jobs = 0, 0
function collect(result)
  total, jobs = (total + digest(result)) % 1000000007, jobs + 1
  return ""
end

function finish()
  return string.format("%d jobs, %d; %d calls, %d texts", jobs, total, calls, distinct)
end
